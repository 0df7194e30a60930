import Forge
import ForgeLoaders
import ForgeShapes

/// What all Swift files of this module have in common.
enum SwiftFile {
  /// The layers and shapes of the model that a file is about.
  ///
  /// - Throws: `CompileError` with every mistake of the model.
  static func inference(of model: Model) throws(CompileError) -> Inference {
    do throws(ModelError) { return try model.inferred() } catch {
      throw CompileError(error.problems)
    }
  }

  /// A name for the type: `LeNet` for `le_net`, but none that hides a type that the file uses.
  static func typeName(_ name: String?, besides types: Set<String>) -> String {
    let wanted = SwiftText.identifier(name ?? "", fallback: "Network", isType: true)
    return types.contains(wanted) ? wanted + "Network" : wanted
  }

  /// The comment in front of the type: what the metadata says about the network.
  static func comment(_ metadata: ModelMetadata) -> [String] {
    var lines = ["/// " + SwiftText.comment(metadata.name ?? "A network") + "."]
    for text in [metadata.about, metadata.license.map { "License: \($0)" }] {
      if let text { lines += ["///", "/// " + SwiftText.comment(text.prefix(400))] }
    }
    return lines
  }

  /// Writes a file under another name, and renames it.
  ///
  /// - Throws: `LoadError` when the file cannot be written.
  static func write(_ text: String, to path: String) throws(LoadError) {
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { bytes in
      Result { () throws(LoadError) in try FileReplacement.replace(path, with: [bytes]) }
    }
    try written.get()
  }
}
