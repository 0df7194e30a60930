import Forge

/// Operators of the domain `ai.onnx.ml` that prepare features, as scikit-learn's transformers do.
enum ONNXFeatures {
  /// The domain of scikit-learn's operators.
  static let domain = "ai.onnx.ml"

  static let all: [ONNXOperator] = [
    operation("Scaler", scale), operation("Normalizer", normalize), operation("Imputer", impute),
    operation("Binarizer", binarize), operation("OneHotEncoder", oneHot, examples: sameAxes),
    operation("FeatureVectorizer", vectorize) { node in
      let places = Set(node.places)
      guard places.count == 1, case let place?? = places.first, place.axis == 0 else {
        throw ONNXOpenNode.Mixes()
      }
      return [place]
    },
    ONNXOperator(
      "ArrayFeatureExtractor", domain: domain, import: extract, fold: .none,
      bounds: .init { _, bounds in bounds.first ?? nil }, length: .refused, sizes: .none,
      examples: .apart(extracted)),
  ]

  /// An operator that makes numbers of a row of features, row by row.
  static func operation(
    _ type: String, _ operation: @escaping ONNXOperator.Import,
    examples: @escaping ONNXOpenRules.Rule = rows
  ) -> ONNXOperator {
    ONNXOperator(
      type, domain: domain, import: operation, fold: .none, bounds: nil, length: .refused,
      sizes: .none, examples: .apart(examples))
  }

  /// Rows are examples, and the last axis is theirs.
  static func rows(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.apart(from: [try node.rank(0) - 1]))
  }

  private static func sameAxes(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.only())
  }

  /// The features along the last axis of the network's tensor, which holds floats.
  static func features(_ call: ONNXCall, _ index: Int = 0) throws -> FileTensor {
    let input = try call.network(index)
    guard input.rank > 0 else { throw NodeFailure.invalid("features without an axis") }
    guard input.maximumLength == nil else {
      throw NodeFailure.unsupported("features along a sequence of open length")
    }
    let last = input.rank - 1
    var layout = input.layout
    if layout.last != .some(last) { layout = layout.filter { $0 != last } + [last] }
    var result = input.arranged(as: layout)
    result.type = .float32
    return result
  }

  /// One number for each feature, or one for all.
  static func perFeature(_ values: [Float]?, _ what: String, of input: FileTensor) throws -> [Float]
  {
    guard let values, values.count == 1 || values.count == input.sizes[input.rank - 1] else {
      throw NodeFailure.invalid(
        "\(values?.count ?? 0) numbers of \(what) for \(input.sizes[input.rank - 1]) features")
    }
    return values
  }

  /// `(x − offset) · scale`.
  ///
  /// The difference is computed first and by itself, because a weight of the next layer that
  /// contained the scale would not see small deviations from a large offset.
  private static func scale(_ call: inout ONNXCall) throws {
    let input = try features(call)
    let offset = try perFeature(call.node.floats("offset") ?? [0], "the offset", of: input)
    let scale = try perFeature(call.node.floats("scale") ?? [1], "the scale", of: input)
    var result = try call.apply(Subtract(constant: offset), to: input.tensor)
    result = try call.apply(Multiply(constant: scale, name: call.layerName), to: result)
    call.set(result, like: input)
  }

  /// `x / n(x)` along the last axis; `x` where n is 0.
  private static func normalize(_ call: inout ONNXCall) throws {
    let input = try features(call)
    let kind: Reduction
    switch call.node.string("norm", "MAX") {
    case "MAX": kind = .maximum
    case "L1": kind = .l1
    case "L2": kind = .l2
    case let other: throw NodeFailure.unsupported("norm \(other)")
    }
    let layer = Reduce(kind, axes: [-1], keepsDimensions: true)
    let norm = try call.apply(layer, to: input.tensor)
    let isZero = try call.apply(Compare(.equal, than: [0]), to: norm)
    let divisor = try call.apply(Add(), to: norm, isZero)
    let result = try call.apply(Divide(name: call.layerName), to: input.tensor, divisor)
    call.set(result, like: input)
  }

  /// Other values in place of NaN or of one value.
  private static func impute(_ call: inout ONNXCall) throws {
    let input = try features(call)
    let isInteger = call.node.has("imputed_value_int64s")
    let stated =
      isInteger
      ? try (call.node.ints("imputed_value_int64s") ?? []).map { try exact(Int64($0)) }
      : call.node.floats("imputed_value_floats")
    let values = try perFeature(stated, "the values", of: input)
    let replaced =
      isInteger
      ? try exact(Int64(call.node.int("replaced_value_int64")))
      : call.node.float("replaced_value_float")
    let isReplaced =
      replaced.isNaN
      ? try call.apply(Compare(.notEqual), to: input.tensor, input.tensor)
      : try call.apply(Compare(.equal, than: [replaced]), to: input.tensor)
    let rank = input.tensor.shape?.rank ?? 1
    let constant = Tensor.applying(
      Constant(values, shape: Shape(sizes: Array(repeating: 1, count: rank - 1) + [values.count])),
      to: [])
    let result = try call.apply(Where(name: call.layerName), to: isReplaced, constant, input.tensor)
    call.set(result, like: input)
  }

  /// 1 above the threshold, else 0.
  private static func binarize(_ call: inout ONNXCall) throws {
    let input = try features(call)
    let layer = Compare(
      .greater, than: [call.node.float("threshold")], name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input)
  }

  /// All inputs side by side.
  private static func vectorize(_ call: inout ONNXCall) throws {
    let inputs = try call.inputs.indices.map { try features(call, $0) }
    let rows = inputs.first?.sizes.first ?? 0
    guard inputs.allSatisfy({ $0.rank == 2 && $0.sizes[0] == rows }) else {
      throw NodeFailure.unsupported("inputs of sizes \(inputs.map(\.sizes))")
    }
    if let stated = call.node.ints("inputdimensions"), stated != inputs.map({ $0.sizes[1] }) {
      throw NodeFailure.invalid("inputdimensions \(stated) of sizes \(inputs.map(\.sizes))")
    }
    guard inputs.count > 1 else { return call.set(inputs[0]) }
    let result = try call.apply(
      Concatenate(axis: -1, name: call.layerName), to: inputs.map { $0.tensor(as: [0, 1]) })
    call.set(FileTensor(result, layout: [0, 1], rank: 2))
  }

  /// The entries of the last axis at places: columns of rows, or the labels of classes.
  private static func extract(_ call: inout ONNXCall) throws {
    let table = try call.value(0)
    let places = try call.value(1)
    let count = places.sizes.reduce(1, *)
    guard let size = table.sizes.last, size > 0, count > 0 else {
      throw NodeFailure.unsupported("an empty tensor")
    }
    // A vector is one row.
    let rows = table.sizes.count == 1 ? [1] : Array(table.sizes.dropLast())
    let type = table.type
    switch places {
    case .length: throw FileValue.followsLength
    case .host(let host):
      let indices = try host.integers().map { index -> Int in
        guard (0..<Int64(size)).contains(index) else {
          throw NodeFailure.invalid("index \(index) on an axis of size \(size)")
        }
        return Int(index)
      }
      // `features` calls everything float.
      let input = try features(call)
      let layer = Gather(indices: indices, axis: -1, name: call.layerName)
      let result = try call.apply(layer, to: input.tensor)
      let sizes = Array(input.sizes.dropLast()) + [count]
      let gathered = FileTensor(result, sizes: sizes, layout: input.layout, type: type)
      call.set(gathered.reshaped(to: rows + [count]))
    case .network(let places):
      guard case .host(let values) = table, rows.allSatisfy({ $0 == 1 }) else {
        throw NodeFailure.unsupported("columns chosen by values")
      }
      let entries = try ONNXCall.constant(values.reshaped([size]), layout: [0])
      let chosen = try taken(&call, entries, at: places.reshaped(to: [count]))
      // A list of numbers from which a place is taken is that of the classes.
      if values.isInteger { call.classNames = try values.integers().map { "\($0)" } }
      call.set(chosen.reshaped(to: rows + [count]))
    }
  }

  /// The entries of a vector at computed places.
  static func taken(
    _ call: inout ONNXCall, _ entries: FileTensor, at places: FileTensor
  ) throws -> FileTensor {
    let layout = FileTensor.fileLayout(places.sizes)
    let result = try call.apply(
      GatherRows(axis: 0), to: [entries.tensor(as: [0]), places.tensor(as: layout)])
    return FileTensor(result, sizes: places.sizes, layout: layout, type: entries.type)
  }

  /// Where the examples are behind an extraction.
  private static func extracted(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    if node.place(0) == nil, let place = node.place(1) {
      // All axes of the places become the last one.
      let sizes = try node.sizes(1)
      let before = sizes[..<place.axis].reduce(place.outer, *)
      let after = sizes[(place.axis + 1)...].reduce(place.inner, *)
      return [
        ONNXOpenAxis(
          axis: try node.rank(0) == 1 ? 1 : node.rank(0) - 1, outer: before, inner: after)
      ]
    }
    return try rows(node)
  }

  /// For each number a 1 at its category.
  private static func oneHot(_ call: inout ONNXCall) throws {
    guard let stated = call.node.ints("cats_int64s") else {
      throw NodeFailure.unsupported("categories of text")
    }
    let input = try features(call)
    let isInteger = try call.value(0).type.isInteger
    let categories = try stated.map { try exact(Int64($0)) }
    guard !categories.isEmpty, Set(categories).count == categories.count else {
      throw NodeFailure.invalid("\(categories.count) categories, or equal ones")
    }
    // Fractions are cut off, as by a cast.
    let number = isInteger ? input.tensor : try call.apply(Unary(.truncate), to: input.tensor)
    let layout = FileTensor.fileLayout(input.sizes)
    let numbers = FileTensor(number, sizes: input.sizes, layout: input.layout)
    let sizes = input.sizes + [categories.count]
    let column = numbers.tensor(as: layout).reshaped(to: input.sizes + [1])
    var result = try call.apply(Compare(.equal), to: column, try row(categories, rank: sizes.count))
    if call.node.int("zeros", 1) == 0 {
      // A category that there is not is an error of the prediction.
      let count = categories.count
      guard count <= 1024 else {
        throw NodeFailure.unsupported("\(count) categories without zeros")
      }
      let place = try self.place(&call, of: result, among: count)
      try ImportBudget.keep(count * count, width: MemoryLayout<Float>.size)
      let unit = (0..<(count * count)).map { Float($0 % (count + 1) == 0 ? 1 : 0) }
      let table = Tensor.applying(Constant(unit, shape: Shape(sizes: [count, count])), to: [])
      result = try call.apply(GatherRows(axis: 0), to: table, place)
    }
    call.set(FileTensor(result, sizes: sizes, layout: FileTensor.fileLayout(sizes)))
  }

  /// A constant along the last axis of a tensor of a rank.
  static func row(_ values: [Float], rank: Int) throws -> Tensor {
    try ImportBudget.keep(values.count, width: MemoryLayout<Float>.size)
    return Tensor.applying(
      Constant(values, shape: Shape(sizes: Array(repeating: 1, count: rank - 1) + [values.count])),
      to: [])
  }

  /// The place of the only 1 along the last axis, which is gone; their number if there is none.
  static func place(
    _ call: inout ONNXCall, of marks: Tensor, among count: Int
  ) throws -> Tensor {
    let weights = (0..<count).map { Float($0 - count) }
    let weighted = try call.apply(Multiply(constant: weights), to: marks)
    let sum = try call.apply(Reduce(.sum, axes: [-1]), to: weighted)
    return try call.apply(Add(constant: [Float(count)]), to: sum)
  }

  /// An integer that Float32 has.
  static func exact(_ value: Int64) throws -> Float {
    guard Int64(exactly: Float(value)) == value else {
      throw NodeFailure.unsupported("the integer \(value), which f32 does not hold exactly")
    }
    return Float(value)
  }
}
