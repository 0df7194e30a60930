import Forge

/// `LabelEncoder` and `ZipMap`: numbers in place of numbers, and names of classes.
enum ONNXLabels {
  static let all: [ONNXOperator] = [
    ONNXOperator(
      "LabelEncoder", domain: ONNXFeatures.domain, import: encode, fold: .none,
      bounds: .init(bound),
      length: .refused, sizes: .none,
      examples: .apart { node in node.all(try node.only()) }),
    ONNXOperator(
      "ZipMap", domain: ONNXFeatures.domain,
      import: { call in
        // A map from names to probabilities is the probabilities in the order of the names.
        let names = try classNames(call, integers: "classlabels_int64s")
        let input = try call.network(0)
        guard input.sizes.last == names.count else {
          throw NodeFailure.invalid("\(names.count) names for sizes \(input.sizes)")
        }
        call.classNames = names
        call.set(input)
      },
      fold: .none, bounds: nil, length: .refused, sizes: .none,
      examples: .apart(ONNXFeatures.rows)),
  ]

  /// The names of the classes that a node states, as texts.
  static func classNames(_ call: ONNXCall, integers: String) throws -> [String] {
    if let texts = call.node.strings("classlabels_strings"), !texts.isEmpty { return texts }
    guard let numbers = call.node.ints(integers), !numbers.isEmpty else {
      throw NodeFailure.unsupported("classes without labels")
    }
    return numbers.map { "\($0)" }
  }

  /// The numbers of the classes that a node states; `nil` for texts, which
  /// are represented by their index.
  static func classNumbers(_ call: ONNXCall, integers: String) throws -> [Float]? {
    guard call.node.strings("classlabels_strings")?.isEmpty ?? true else { return nil }
    return try (call.node.ints(integers) ?? []).map { try ONNXFeatures.exact(Int64($0)) }
  }

  /// The label of a classifier: the number of a class in the file, or the index of its text.
  static func label(
    _ call: inout ONNXCall, _ places: FileTensor, integers: String
  ) throws -> FileTensor {
    var places = places
    places.type = .int64
    call.classNames = try classNames(call, integers: integers)
    guard let numbers = try classNumbers(call, integers: integers) else {
      call.isText = true
      return places
    }
    guard numbers != (0..<numbers.count).map({ Float($0) }) else { return places }
    let table = Tensor.applying(
      Constant(numbers, shape: Shape(sizes: [numbers.count])), to: [])
    let entries = FileTensor(table, sizes: [numbers.count], layout: [0], type: .int64)
    return try ONNXFeatures.taken(&call, entries, at: places)
  }

  /// The largest magnitude of a label.
  static func bound(ofLabels integers: String) -> ONNXIntegerBounds.Rule {
    .init { call, _ in
      let numbers = call.node.ints(integers) ?? []
      let texts = call.node.strings("classlabels_strings") ?? []
      return (numbers.map { Int(clamping: $0.magnitude) } + [texts.count]).max()
    }
  }

  // MARK: Numbers for numbers

  private static func bound(_ call: ONNXCall, _ known: [Int?]) throws -> Int? {
    guard let values = call.node.ints("values_int64s") else { return nil }
    return (values + [call.node.int("default_int64", -1)]).map { Int(clamping: $0.magnitude) }.max()
  }

  private static func encode(_ call: inout ONNXCall) throws {
    let node = call.node
    let textual = ["keys_strings", "values_strings", "classes_strings"].first { node.has($0) }
    if let textual { throw NodeFailure.unsupported("\(textual)") }
    if let tensor = ["keys_tensor", "values_tensor"].first(where: { node.has($0) }) {
      throw NodeFailure.unsupported("\(tensor)")
    }
    let keys =
      try node.floats("keys_floats")
      ?? node.ints("keys_int64s")?.map {
        try ONNXFeatures.exact(Int64($0))
      }
    let isInteger = node.has("values_int64s")
    let values =
      isInteger
      ? try node.ints("values_int64s")?.map { try ONNXFeatures.exact(Int64($0)) }
      : node.floats("values_floats")
    guard let keys, let values, keys.count == values.count, !keys.isEmpty else {
      throw NodeFailure.invalid("\(keys?.count ?? 0) keys for \(values?.count ?? 0) values")
    }
    guard keys.allSatisfy(\.isFinite), values.allSatisfy(\.isFinite) else {
      throw NodeFailure.unsupported("keys or values that are not finite")
    }
    // The first of equal keys counts.
    var seen: Set<Float> = []
    let first = keys.indices.filter { seen.insert(keys[$0]).inserted }
    let other =
      isInteger
      ? try ONNXFeatures.exact(Int64(node.int("default_int64", -1)))
      : node.float("default_float", -0.0)
    let input = try call.network(0)
    guard input.maximumLength == nil else {
      throw NodeFailure.unsupported("labels along a sequence of open length")
    }
    let sizes = input.sizes
    let layout = FileTensor.fileLayout(sizes)
    let column = input.tensor(as: layout).reshaped(to: (sizes.isEmpty ? [1] : sizes) + [1])
    let rank = column.shape?.rank ?? 2
    let marks = try call.apply(
      Compare(.equal), to: column, try ONNXFeatures.row(first.map { keys[$0] }, rank: rank))
    let place = try ONNXFeatures.place(&call, of: marks, among: first.count)
    let table = Tensor.applying(
      Constant(first.map { values[$0] } + [other], shape: Shape(sizes: [first.count + 1])), to: [])
    let result = try call.apply(GatherRows(axis: 0, name: call.layerName), to: table, place)
    call.set(
      FileTensor(result, sizes: sizes, layout: layout, type: isInteger ? .int64 : .float32))
  }
}
