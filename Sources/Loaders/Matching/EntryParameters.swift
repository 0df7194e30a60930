import ForgeShapes

/// A file or folder of named entries with the values of parameters.
protocol ParameterFileEntries: Sendable {
  /// Adds the file and an entry to an error without a file.
  func located(_ error: LoadError, _ entry: String?) -> LoadError
  /// The values of an entry; `nil` if there is no such entry.
  func values(
    of entry: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)?
  /// The sizes of entries; `nil` if unknown.
  func sizes(of entries: [EntryName]) -> [[Int]?]
}

extension ParameterFileEntries {
  func sizes(of entries: [EntryName]) -> [[Int]?] { entries.map { _ in nil } }
}

/// Parameters in a file of named entries, found by layer or by a custom rule.
///
/// It is shared by all formats with names, which only list layers and return the values of entries.
struct EntryParameters<File: ParameterFileEntries>: ParameterSource {
  typealias UserRule = @Sendable (ParameterSpec) -> String?

  let file: File
  private let layout: ParameterLayout
  private let matching: LayerMatching
  /// The user's own names, if any.
  let rule: UserRule?
  /// The layers that the file has without the rule, for messages.
  let unruled: UnruledLayers
  /// The layers of the file; `nil` with a custom rule.
  private let layers: FileLayers?
  private var matched: MatchedLayers?

  /// Finds the layers of a file, unless there is a rule.
  init(
    _ file: File, _ matching: LayerMatching = .byName, layout: ParameterLayout,
    rule: UserRule?,
    layers: @autoclosure @escaping @Sendable () throws(LoadError) -> FileLayers
  ) throws(LoadError) {
    self.file = file
    self.layout = layout
    self.matching = matching
    self.rule = rule
    unruled = UnruledLayers(layers)
    do throws(LoadError) {
      self.layers = rule == nil ? try layers() : nil
    } catch {
      throw file.located(error, nil)
    }
  }

  var goesByName: Bool { layers == nil || matching == .byName }

  /// The names of the layers with values, in the order of the file; empty with a custom rule.
  var availableNames: [String] { layers?.names ?? [] }

  /// The parameters that the file has for a layer, in its order; `nil` without such a layer.
  func parameters(of layer: String) throws(LoadError) -> [FileLayer.Parameter]? {
    do throws(LoadError) { return try layers?.layer(named: layer)?.parameters } catch {
      throw file.located(error, nil)
    }
  }

  /// The source with every parameter of the model matched, unless there is a rule.
  ///
  /// - Throws: ``LoadError`` when layers are matched in order and differ from the model's.
  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    guard let layers, matching == .inOrder else { return matched(byName: specs) }
    var ready = self
    do throws(LoadError) {
      ready.matched = try MatchedLayers(inOrder: specs, layers, file, layout)
    } catch {
      throw file.located(error, nil)
    }
    return ready
  }

  /// The source with every parameter of the model matched by name, unless there is a rule.
  func matched(byName specs: [ParameterSpec]) -> EntryParameters {
    guard let layers else { return self }
    var ready = self
    ready.matched = MatchedLayers(byName: specs, layers, file, layout)
    return ready
  }

  /// The values of a parameter; `nil` when the file has none.
  ///
  /// - Throws: ``LoadError``, with the parameter: `unused`, `duplicate`, `unsupported` or
  ///   `wrongShape`, and what the file throws.
  func parameter(for spec: ParameterSpec) throws(LoadError) -> (any ParameterData)? {
    var found: EntryName?
    do throws(LoadError) {
      found = try entry(for: spec)
      guard let found, let data = try file.values(of: found, layout: layout) else { return nil }
      guard spec.fits(data.sizes ?? [], in: layout) else {
        throw .wrongShape(data.sizes ?? [], spec, layout)
      }
      return data
    } catch {
      throw file.located(error, found?.text).asked(for: spec)
    }
  }

  private func entry(for spec: ParameterSpec) throws(LoadError) -> EntryName? {
    guard let layers else { return rule?(spec).map { EntryName($0) } }
    if let problem = matched?.problems[spec.layer] { throw problem }
    var found = matched?.entries[spec]
    if matched == nil || layers.form == .entries, found == nil {
      found = try layers.entry(for: spec)
    }
    // Theano flips kernels: it computes convolutions, not cross-correlations.
    if layers.isTheano, spec.type == .weights, let found, let sizes = file.sizes(of: [found])[0],
      sizes.count > 2, sizes.contains(where: { $0 > 1 })
    {
      throw file.located(.flippedKernel(), found.text)
    }
    return found
  }
}
