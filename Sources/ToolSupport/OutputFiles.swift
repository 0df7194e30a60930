import Forge
import ForgeSystem

/// The files that outputs are written to, which are chosen before anything is computed.
package struct OutputFiles: Sendable {
  /// The file of one output.
  package struct File: Hashable, Sendable {
    /// The name of the output.
    package let output: String
    /// The path of the file.
    package let path: String
    /// Whether the name of the file is not the name of the output.
    package let isRenamed: Bool
  }

  /// The files in the order of the outputs.
  package let files: [File]
  /// The folder to create; `nil` for a single file.
  package let folder: String?

  /// The most bytes of a name: a file name has 255, of which the extension and the name of the
  /// file that is written first need some.
  private static let longestName = 200
  private static let ending = ".npy"

  /// Chooses the files for outputs.
  ///
  /// - Parameters:
  ///   - path: a path that ends in `.npy` for the only output, else a folder. A new folder whose
  ///     name ends as that of a picture or a table does must end in `/`.
  ///   - outputs: the names of the outputs.
  /// - Throws: ``ToolError`` of kind `wrongOutput` when the path does not suit.
  package init(at path: String, for outputs: [String]) throws(ToolError) {
    let isFolder = Self.isFolder(path)
    if path.lowercased().hasSuffix(Self.ending), isFolder != true {
      guard outputs.count == 1, let only = outputs.first else {
        throw ToolError(
          .wrongOutput, "the model has \(outputs.count) outputs", received: "the file \(path)",
          needs: "a folder")
      }
      files = [File(output: only, path: path, isRenamed: false)]
      folder = nil
      return
    }
    if isFolder == false {
      throw ToolError(
        .wrongOutput, "\(path) is a file",
        needs: "a folder, or for the only output a path that ends in \(Self.ending)")
    }
    if isFolder == nil, let type = Self.otherType(path) {
      throw ToolError(
        .wrongOutput, "\(path) would be a folder", received: "a path that ends in \(type)",
        needs: "a folder, or for the only output a path that ends in \(Self.ending)",
        remedy: "end the path of a folder with /")
    }
    var used: Set<String> = []
    var files: [File] = []
    for (index, output) in outputs.enumerated() {
      let name = Self.name(output, index: index, used: &used)
      files.append(
        File(output: output, path: "\(path)/\(name)\(Self.ending)", isRenamed: name != output))
    }
    self.files = files
    folder = path
  }

  /// A name that no other output has, stays in the folder and is not too long.
  private static func name(_ output: String, index: Int, used: inout Set<String>) -> String {
    let plain = output.replacing("/", with: "_").replacing("\0", with: "_")
    let isLong = plain.utf8.count > longestName
    if !plain.isEmpty, !plain.hasPrefix("."), !isLong, used.insert(plain).inserted { return plain }
    var stem = "output_\(index)"
    if isLong, !plain.hasPrefix(".") {
      // Whole characters of the beginning, and the number of the output.
      var beginning = ""
      for character in plain {
        guard beginning.utf8.count + character.utf8.count <= longestName - 20 else { break }
        beginning.append(character)
      }
      stem = "\(beginning)_\(index)"
    }
    var name = stem
    var number = 2
    while !used.insert(name).inserted {
      name = "\(stem)_\(number)"
      number += 1
    }
    return name
  }

  /// The ends of paths that are meant for pictures, tables and other files.
  private static let otherTypes = [
    "png", "jpg", "jpeg", "ppm", "pgm", "bmp", "gif", "svg", "json", "csv", "txt", "npz", "h5",
    "safetensors", "onnx", "raw", "bin", "wav",
  ]

  /// The end of a path that is meant for a file of another type; `nil` if it may be a folder.
  private static func otherType(_ path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), !path.hasSuffix("/") else { return nil }
    let type = path[path.index(after: dot)...].lowercased()
    return otherTypes.contains(type) ? ".\(type)" : nil
  }

  /// Whether there is a folder at a path; `nil` if there is nothing.
  private static func isFolder(_ path: String) -> Bool? {
    var info = stat()
    guard !path.utf8.contains(0), stat(path, &info) == 0 else { return nil }
    return info.st_mode & S_IFMT == S_IFDIR
  }
}
