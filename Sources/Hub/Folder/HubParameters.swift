import ForgeLoaders
import ForgeShapes

/// Where the values of a parameter are among the tensors of a folder.
struct TensorPlace: Sendable {
  /// Which rows of the tensor are the parameter.
  enum Rows: Sendable {
    /// All of them.
    case all
    /// Those of a range.
    case range(Range<Int>)
    /// Some, each as often as it is named.
    case chosen([Int])
    /// One, as a vector.
    case row(Int)
  }

  /// The names under which files have it; the first that is there counts.
  var names: [String]
  /// The order of its axes.
  var layout: ParameterLayout = .pytorch
  var rows: Rows = .all
  /// A tensor that holds this parameter and others one below the other, for files without the
  /// names.
  var parts: Parts?

  /// Whether a file without the parameter leaves it out because it is 0.
  var isZero = false
  /// What is added to each value of the tensor.
  var offset: Float = 0
  /// The values of a parameter that no file has.
  var values: (@Sendable () -> [Float])?

  /// A parameter that files leave out because it is 0.
  static let zeros = TensorPlace(names: [], isZero: true)

  /// One of several matrices of equal sizes in a tensor.
  struct Parts: Sendable {
    var name: String
    var index: Int
    var count: Int
  }
}

/// The parameters of a network in the tensors of a folder.
struct HubParameters: ParameterSource {
  let tensors: HubTensors
  /// The prefixes that the tensors of a body may have, such as `bert.`.
  let prefixes: [String]
  /// The place of a parameter.
  let place: @Sendable (ParameterSpec) -> TensorPlace?

  var origin: String? { tensors.path }

  /// The name of the tensor that is there.
  private func name(in names: [String]) -> String? {
    for name in names {
      for prefix in [""] + prefixes where tensors.has(prefix + name) { return prefix + name }
    }
    return nil
  }

  /// Checks that no layer leaves out a bias that the file has for it.
  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    var used: Set<String> = []
    var weights: [(name: String, spec: ParameterSpec)] = []
    for spec in specs {
      guard let place = place(spec), let name = name(in: place.names) else { continue }
      used.insert(name)
      if name.hasSuffix(".weight") { weights.append((name, spec)) }
    }
    for (name, spec) in weights {
      let bias = String(name.dropLast("weight".count)) + "bias"
      guard tensors.has(bias), !used.contains(bias) else { continue }
      throw LoadError(
        .unused, "the configuration has no such parameter", path: tensors.path, entry: bias,
        parameter: spec, needs: "a layer that uses it")
    }
    return self
  }

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard let place = place(spec) else { return nil }
    if let values = place.values { return ParameterValues(values()) }
    if let name = name(in: place.names) {
      guard var data = try tensors.data(name, layout: place.layout) else { return nil }
      if place.offset != 0 { data = OffsetData(data, offset: place.offset) }
      if case .all = place.rows { return data }
      return try RowsOfData(data, rows: place.rows)
    }
    if place.isZero { return ParameterValues([Float](repeating: 0, count: spec.count)) }
    guard let parts = place.parts, let name = name(in: [parts.name]),
      let data = try tensors.data(name, layout: place.layout)
    else { return nil }
    guard let rows = data.sizes?.first, rows.isMultiple(of: parts.count) else {
      throw LoadError(
        .wrongShape, "the tensor cannot be split into \(parts.count) parts", path: data.origin,
        parameter: spec, received: data.sizes.map { "\($0)" })
    }
    let size = rows / parts.count
    return try RowsOfData(data, rows: .range(parts.index * size..<(parts.index + 1) * size))
  }
}

extension HubParameters: AbsenceExplainingSource {
  func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    guard let name = place(spec)?.names.first else { return nil }
    return ParameterAbsence(
      received: "no tensor named \(([""] + prefixes).map { $0 + name }.joined(separator: " or "))",
      remedy: "the folder may hold a different network from the one in its config.json")
  }
}
