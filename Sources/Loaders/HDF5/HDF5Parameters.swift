import ForgeShapes

/// The parameters in an HDF5 file, as Keras writes them.
///
/// ```swift
/// let network = try model.compile(parameters: try HDF5Parameters("mobilenet.h5"))
/// ```
/// It reads whole models (`.h5`) and weights (`.h5`, `.weights.h5`) of Keras 1 to 3, also of
/// models inside models, and other files with a group per layer. A layer is found by its Keras
/// name; one of a model inside the model also as `inner/conv1`, which it needs where two have the
/// same. All parameters a file has for a layer must be wanted: a bias that the layer does not
/// take is an error.
///
/// Values may be f16, bf16, f32 or f64, also in chunks and compressed by gzip. See ``HDF5File``
/// for what is refused.
public struct HDF5Parameters: ParameterSource {
  /// How the layers of the model and of the file find each other.
  public enum Matching: Sendable {
    /// By name.
    case byName
    /// One after the other, counting only layers that have parameters; names do not matter.
    ///
    /// A `.weights.h5` of Keras 3 keeps the order only among layers of one class; there, each
    /// layer takes the next of the one class whose shapes fit.
    case inOrder
  }

  private enum Rule: Sendable {
    case layers(HDF5Layers, Matching)
    case entries(@Sendable (ParameterSpec) -> String?)
  }

  /// The file.
  public let file: HDF5File
  private let layout: ParameterLayout
  private let rule: Rule
  private var matching: HDF5Matching?

  /// Opens a file and finds its layers, or datasets by a rule of your own.
  ///
  /// ```swift
  /// let parameters = try HDF5Parameters("net.h5", layout: .pytorch) { parameter in
  ///   "/\(parameter.layer).\(parameter.type == .weights ? "weight" : "bias")"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - matching: how layers find each other where there is no rule.
  ///   - layout: the axis order of the values.
  ///   - limits: what reading the structure of the file may cost.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `notHDF5`,
  ///   `damaged`, `unsupported` or `refused`.
  public init(
    _ path: String, matching: Matching = .byName, layout: ParameterLayout = .keras,
    limits: LoadLimits = .init(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    let file = try HDF5File(path, limits: limits)
    try self.init(file, matching: matching, layout: layout, entry: entry)
  }

  /// Takes bytes in memory for a file.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: where they are from, for messages.
  ///   - matching: how layers find each other where there is no rule.
  ///   - layout: the axis order of the values.
  ///   - limits: what reading the structure of the file may cost.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  /// - Throws: ``LoadError``: `notHDF5`, `damaged`, `unsupported`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", matching: Matching = .byName,
    layout: ParameterLayout = .keras, limits: LoadLimits = .init(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    let file = try HDF5File(bytes: bytes, name: name, limits: limits)
    try self.init(file, matching: matching, layout: layout, entry: entry)
  }

  /// Takes an open file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - matching: how layers find each other where there is no rule.
  ///   - layout: the axis order of the values.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  /// - Throws: ``LoadError``: `damaged`, `unsupported` or `refused`.
  public init(
    _ file: HDF5File, matching: Matching = .byName, layout: ParameterLayout = .keras,
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    do throws(HDF5Fault) {
      if let entry {
        rule = .entries(entry)
      } else {
        rule = .layers(try HDF5Layers(file.contents), matching)
      }
    } catch {
      throw error.error(path: file.path)
    }
    self.file = file
    self.layout = layout
  }

  /// Whether layers are found by name.
  public var goesByName: Bool {
    if case .layers(_, .inOrder) = rule { return false }
    return true
  }

  /// The layer names there are values for, in the order of the file.
  public var availableNames: [String] {
    if case .layers(let layers, _) = rule { return layers.names }
    return []
  }

  /// The file with every parameter of the model matched.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the source for these.
  /// - Throws: ``LoadError`` when layers go by order and the file's differ from the model's.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    guard case .layers(let layers, let kind) = rule else { return self }
    var ready = self
    switch kind {
    case .byName: ready.matching = HDF5Matching(byName: specs, layers, file, layout)
    case .inOrder: ready.matching = try HDF5Matching(inOrder: specs, layers, file, layout)
    }
    return ready
  }

  /// The values of a parameter, or `nil` when the file has none.
  ///
  /// Compiling prepares the source for all parameters before. Without that, layers are found by
  /// name only, parameters that no one asks for are not noticed, and numbered ones cannot be told
  /// apart.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: ``LoadError``: `wrongShape`, `wrongElementType`, `unused`, `duplicate`,
  ///   `unsupported` or `refused`.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    let entry: EntryName?
    switch rule {
    case .entries(let rule): entry = rule(spec).map { EntryName($0) }
    case .layers(let layers, _):
      let matching = try matching ?? HDF5Matching(alone: spec, layers, file, layout)
      if let problem = matching.problems[spec.layer] { throw problem.asked(for: spec) }
      entry = matching.entries[spec]
      if layers.isTheano, let entry { try refuseFlipped(entry, for: spec) }
    }
    guard let entry else { return nil }
    do {
      let data = try file.data(named: entry, layout: layout)
      guard spec.fits(data.sizes ?? [], in: layout) else {
        throw LoadError.wrongShape(file.path, entry: entry.text, data.sizes ?? [], spec, layout)
      }
      return data
    } catch let error as LoadError {
      throw error.asked(for: spec)
    }
  }

  /// Theano turns kernels by 180 degrees before it uses them.
  private func refuseFlipped(_ entry: EntryName, for spec: ParameterSpec) throws(LoadError) {
    guard spec.type == .weights,
      let sizes = file.contents.sizes(at: entry, file.contents.reader()),
      sizes.count > 2, sizes.contains(where: { $0 > 1 })
    else { return }
    throw LoadError.flippedKernel(file.path, entry: entry.text).asked(for: spec)
  }
}
