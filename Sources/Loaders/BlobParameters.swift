import ForgeShapes

/// Parameters in one raw file of consecutive values without names.
///
/// Either give the offset of each parameter,
/// ```swift
/// let parameters = try BlobParameters("weights.bin", entries: [
///   .init("conv1", .weights, offset: 0),
///   .init("conv1", .biases, offset: 6000, elementType: .float16),
/// ])
/// ```
/// or let them fill the file one after another, in the order of the model:
/// ```swift
/// let parameters = try BlobParameters(
///   "yolo.weights", packedFrom: 20, order: [.biases, .gamma, .mean, .variance, .weights],
///   layout: .pytorch)
/// ```
/// The values are little-endian f32, f16, bf16 or f64.
public struct BlobParameters: ParameterSource {
  /// The location of one parameter's values.
  public struct Entry: Hashable, Sendable {
    /// The name of the layer.
    public let layer: String
    /// What the parameter is to the layer.
    public let type: ParameterType
    /// The offset of the first byte.
    public let offset: Int
    /// The type of the values.
    public let elementType: ElementType

    /// Creates the location of a parameter's values.
    ///
    /// - Parameters:
    ///   - layer: the name of the layer.
    ///   - type: what the parameter is to the layer.
    ///   - offset: the offset of the first byte in the file.
    ///   - elementType: the type of the values.
    public init(
      _ layer: String, _ type: ParameterType, offset: Int, elementType: ElementType = .float32
    ) {
      self.layer = layer
      self.type = type
      self.offset = offset
      self.elementType = elementType
    }
  }

  private struct Key: Hashable {
    let layer: String
    let type: ParameterType
    // The two kernels of a separable convolution have the same type but different axes.
    var axes: [ParameterAxis] = []
  }

  /// Consecutive parameters, before their offsets are known.
  private struct Packed {
    let offset: Int
    let type: ElementType
    let order: [ParameterType]
  }

  private let file: InputFile
  private let layout: ParameterLayout
  private let packed: Packed?
  /// The locations; `nil` for consecutive parameters until the model is known.
  private var places: [Key: Entry]?

  /// The names of the layers with given locations.
  public let availableNames: [String]

  /// Opens a file whose parameters are at given offsets.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - entries: the location of each parameter; they may overlap.
  ///   - layout: the axis order of the values.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile` or
  ///   `duplicate`.
  public init(
    _ path: String, entries: [Entry], layout: ParameterLayout = .forge
  ) throws(LoadError) {
    file = try InputFile(path: path)
    self.layout = layout
    packed = nil
    places = [:]
    var layers: Set<String> = []
    availableNames = entries.map(\.layer).filter { layers.insert($0).inserted }
    for entry in entries { try place(entry) }
  }

  /// Opens a file of consecutive parameters in the order of the model.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - offset: the offset of the first parameter in bytes.
  ///   - elementType: the type of all values.
  ///   - order: the order of the parameters of each layer, if not the layer's own; other types come
  ///     last.
  ///   - layout: the axis order of the values.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile` or
  ///   `wrongSize`.
  public init(
    _ path: String, packedFrom offset: Int = 0, elementType: ElementType = .float32,
    order: [ParameterType] = [], layout: ParameterLayout = .forge
  ) throws(LoadError) {
    file = try InputFile(path: path)
    self.layout = layout
    packed = Packed(offset: offset, type: elementType, order: order)
    availableNames = []
    guard 0...file.count ~= offset else {
      throw file.located(.placeOutside(offset, byteCount: 0, of: file.count))
    }
  }

  /// Whether locations were given; otherwise parameters are matched in order.
  public var goesByName: Bool { packed == nil }

  /// The source, with a location for each parameter of the model.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the source for these.
  /// - Throws: ``LoadError``: `wrongSize` when they do not fill the file exactly; `duplicate` when
  ///   two parameters of a layer cannot be told apart.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    guard let packed else { return self }
    var end = packed.offset
    var ready = self
    ready.places = [:]
    // Parameters are grouped by layer, in the given order.
    let sorted = ParameterNames.byLayer(specs).flatMap { layer in
      ParameterNames.sorted(layer.specs, by: packed.order)
    }
    for spec in sorted {
      let entry = Entry(spec.layer, spec.type, offset: end, elementType: packed.type)
      try ready.place(entry, axes: spec.axes)
      let (next, overflow) = end.addingReportingOverflow(spec.count * packed.type.byteCount)
      guard !overflow else { throw LoadError.outOfMemory(file.path, byteCount: Int.max) }
      end = next
    }
    guard end == file.count else {
      throw file.located(
        .packedSize(of: file, needs: end, offset: packed.offset, packed.type))
    }
    return ready
  }

  private mutating func place(_ entry: Entry, axes: [ParameterAxis] = []) throws(LoadError) {
    let key = Key(layer: entry.layer, type: entry.type, axes: axes)
    guard places?.updateValue(entry, forKey: key) == nil else {
      throw file.located(.twoPlaces(entry.layer, entry.type))
    }
  }

  /// The values of a parameter, or `nil` when it has no location.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: ``LoadError``: `wrongSize` when they lie outside the file; `unsupported` when the
  ///   parameters are matched in order and the source was not prepared.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    do throws(LoadError) {
      guard let places else {
        throw file.located(.unprepared("parameters are found by their order, which is not known"))
      }
      let axes = packed == nil ? [] : spec.axes
      guard let found = places[Key(layer: spec.layer, type: spec.type, axes: axes)] else {
        return nil
      }
      return try data(at: found.offset, count: spec.count, elementType: found.elementType)
    } catch {
      throw error.asked(for: spec)
    }
  }

  /// The values at an offset in the file, for closures that know where each parameter is.
  ///
  /// ```swift
  /// let file = try BlobParameters("weights.bin", entries: [])
  /// let network = try model.compile { name, count, type in
  ///   try offsets["\(name)_\(type)"].map { try file.data(at: $0, count: count) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - offset: the offset of the first byte.
  ///   - count: the number of values.
  ///   - elementType: the type of the values.
  /// - Returns: the values, in the file's layout; they are read when they are used.
  /// - Throws: ``LoadError``: `wrongSize` when they lie outside the file, `wrongCount` when no file
  ///   can hold them.
  public func data(
    at offset: Int, count: Int, elementType: ElementType = .float32
  ) throws(LoadError) -> any ParameterData {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: elementType.byteCount)
    guard count >= 0, !overflow else { throw .impossibleCount(file.path, count) }
    guard offset >= 0, offset <= file.count, byteCount <= file.count - offset else {
      throw file.located(.placeOutside(offset, byteCount: byteCount, of: file.count))
    }
    let part = try InputFile(
      offset..<(offset + byteCount), of: file, entry: "byte \(offset)")
    return FileValues(
      file: part, count: count, elementType: elementType, layout: layout, sizes: nil)
  }
}
