import ForgeShapes

/// How a file with named entries answers for parameters: by the usual names, or by a rule.
struct EntryMatching: Sendable {
  private enum Rule: Sendable {
    case names(EntryNames)
    case entries(@Sendable (ParameterSpec) -> String?)
  }

  private let path: String
  private let layout: ParameterLayout
  private let rule: Rule
  private var problems: [String: LoadError] = [:]

  /// Matches by the usual names, or by a rule of the user's.
  init(
    _ names: [EntryName], path: String, layout: ParameterLayout,
    rule: (@Sendable (ParameterSpec) -> String?)?
  ) throws(LoadError) {
    self.path = path
    self.layout = layout
    if let rule {
      self.rule = .entries(rule)
    } else {
      self.rule = .names(try EntryNames(names, path: path))
    }
  }

  /// The layers there are values for, where names are taken apart.
  var layers: [String] {
    if case .names(let names) = rule { return names.layers.map(\.text) }
    return []
  }

  /// The same, with a look at each layer of a model: all that the file has for it must be wanted.
  func prepared(for specs: [ParameterSpec]) -> EntryMatching {
    guard case .names(let names) = rule else { return self }
    var ready = self
    for (layer, specs) in Dictionary(grouping: specs, by: \.layer) {
      let wanted = Set(specs.compactMap { names.entry(for: $0) })
      let left = names.entries(of: layer).filter { !wanted.contains($0) }
      // A bias that no layer takes would be lost without a word.
      if !left.isEmpty, !wanted.isEmpty {
        ready.problems[layer] = .notWanted(path, layer, left.map(\.text), specs)
      }
    }
    return ready
  }

  /// The values of a parameter.
  ///
  /// - Parameters:
  ///   - spec: the parameter.
  ///   - read: gives the values of an entry; `nil` when there is no such entry.
  /// - Returns: the values; `nil` when the file has none.
  /// - Throws: ``LoadError``: `unused`, `wrongShape`, and what `read` throws.
  func parameter(
    for spec: ParameterSpec, read: (EntryName) throws(LoadError) -> (any ParameterData)?
  ) throws(LoadError) -> (any ParameterData)? {
    if let problem = problems[spec.layer] { throw problem.asked(for: spec) }
    let found: EntryName? =
      switch rule {
      case .names(let names): names.entry(for: spec)
      case .entries(let rule): rule(spec).map { EntryName($0) }
      }
    guard let found else { return nil }
    do throws(LoadError) {
      guard let data = try read(found) else { return nil }
      guard spec.fits(data.sizes ?? [], in: layout) else {
        throw .wrongShape(path, entry: found.text, data.sizes ?? [], spec, layout)
      }
      return data
    } catch {
      throw error.asked(for: spec)
    }
  }
}
