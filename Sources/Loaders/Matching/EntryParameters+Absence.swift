import ForgeShapes

/// What a rule of the user did when a parameter is missing.
extension EntryParameters {
  /// The names that a list shows.
  private static var shown: Int { 3 }

  /// Why a rule found no values; `nil` without a rule.
  ///
  /// - Parameters:
  ///   - spec: the parameter.
  ///   - origin: the path of the file.
  ///   - type: the name of the source's type.
  /// - Returns: what the rule returned, and what the file has.
  func absence(of spec: ParameterSpec, origin: String, type: String) -> ParameterAbsence? {
    guard let rule else { return nil }
    // A file whose names make no layers has no usual name for anything.
    let layers = try? unruledLayers()
    let entries = layers?.layers.flatMap { $0.parameters.map(\.entry.text) } ?? []
    if let name = rule(spec) {
      let near = NearNames.nearest(to: name, in: entries).map { "\"\($0)\"" }
      return ParameterAbsence(
        received: "\"\(name)\" from the closure entry:, which \(origin) does not have",
        remedy: near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?")
    }
    if let usual = try? layers?.entry(for: spec) {
      return ParameterAbsence(
        received: "nil from the closure entry:; \(origin) has \"\(usual.text)\"",
        remedy: "return this name, or combine with the usual names: "
          + "CombinedParameters([source, \(type)(…)])")
    }
    let list = entries.prefix(Self.shown).map { "\"\($0)\"" }.joined(separator: ", ")
    let more = entries.count > Self.shown ? ", …" : ""
    return ParameterAbsence(
      received: "nil from the closure entry:; \(origin) has "
        + (entries.isEmpty ? "no parameters with usual names" : list + more),
      remedy: nil)
  }
}
