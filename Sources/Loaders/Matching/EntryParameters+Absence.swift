import ForgeShapes
import Synchronization

/// The layers of a file, found when a message first needs them.
final class UnruledLayers: Sendable {
  private let find: @Sendable () throws(LoadError) -> FileLayers
  private let found = Mutex<FileLayers?>(nil)

  init(_ find: @escaping @Sendable () throws(LoadError) -> FileLayers) { self.find = find }

  /// The layers; none where the names of the file make no layers.
  var layers: FileLayers {
    found.withLock { found in
      if let found { return found }
      let layers = (try? find()) ?? FileLayers(form: .entries, layers: [])
      found = layers
      return layers
    }
  }
}

/// What a rule of the user did when a parameter is missing.
extension EntryParameters {
  /// The names that a list shows.
  private static var shown: Int { 3 }
  /// The most names among which similar ones are looked for.
  private static var compared: Int { 10_000 }

  /// Why a rule found no values; `nil` without a rule.
  ///
  /// - Parameters:
  ///   - spec: the parameter.
  ///   - origin: the path of the file.
  ///   - type: the name of the source's type.
  /// - Returns: what the rule returned, and what the file has.
  func absence(of spec: ParameterSpec, origin: String, type: String) -> ParameterAbsence? {
    guard let rule else { return nil }
    let layers = unruled.layers
    let entries = layers.layers.lazy.flatMap { $0.parameters.map(\.entry.text) }
    if let name = rule(spec) {
      let near = NearNames.nearest(to: name, in: Array(entries.prefix(Self.compared)))
        .map { "\"\($0)\"" }
      return ParameterAbsence(
        received: "\"\(name)\" from the closure entry:, which \(origin) does not have",
        remedy: near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?")
    }
    if let usual = try? layers.entry(for: spec) {
      return ParameterAbsence(
        received: "nil from the closure entry:; \(origin) has \"\(usual.text)\"",
        remedy: "return this name, or combine with the usual names: "
          + "CombinedParameters([source, \(type)(…)])")
    }
    let first = Array(entries.prefix(Self.shown + 1))
    let list = first.prefix(Self.shown).map { "\"\($0)\"" }.joined(separator: ", ")
    let more = first.count > Self.shown ? ", …" : ""
    return ParameterAbsence(
      received: "nil from the closure entry:; \(origin) has "
        + (first.isEmpty ? "no parameters with usual names" : list + more),
      remedy: nil)
  }
}
