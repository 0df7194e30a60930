import Forge

/// Rows of a sequence in another order, or written into a memory.
extension ONNXOperators {
  /// The operators that move rows of sequences to places that a prediction computes.
  static let sequenceRows: [ONNXOperator] = [
    ONNXOperator(
      "ReverseSequence", import: reverseSequence, fold: .none, bounds: .firstInput,
      length: .refused, sizes: .none, examples: .mixed),
    ONNXOperator(
      "TensorScatter", import: writeRows, fold: .none, bounds: .firstTwoInputs, length: .refused,
      sizes: .none, examples: .mixed),
  ]

  /// Tensors by example and time, and the memory of the file to which they return.
  private struct Rows {
    let value: FileTensor
    let order: [Int]

    init(_ value: FileTensor, batch: Int, time: Int) {
      self.value = value
      order = [batch, time] + value.sizes.indices.filter { $0 != batch && $0 != time }
    }

    var examples: Int { value.sizes[order[0]] }
    var times: Int { value.sizes[order[1]] }
    private var inner: [Int] { order.dropFirst(2).map { value.sizes[$0] } }

    /// The tensor [examples, times, numbers of a row].
    func tensor() throws -> Tensor {
      try ONNXCall.applied(
        Reshape(to: [examples, times, inner.reduce(1, *)]), to: [value.tensor(as: order)])
    }

    /// Rows of a tensor [examples, times, numbers of a row] at places of [examples, times].
    ///
    /// A place where `isWrong` holds is an error of the prediction: no table has it.
    func chosen(
      from table: Tensor, at places: Tensor, isWrong: Tensor
    ) throws -> FileTensor {
      let length = table.shape?.sizes?[1] ?? 0
      let count = examples * length
      let first = (0..<examples).map { Float($0 * length) }
      let starts = try ONNXCall.constant(
        HostTensor(floats: first, sizes: [examples, 1]), layout: [0, 1]
      ).tensor
      let beyond = try ONNXCall.applied(Scale(Float(count)), to: [isWrong])
      let offset = try ONNXCall.applied(Add(), to: [starts, beyond])
      let rows = try ONNXCall.applied(Add(), to: [places, offset])
      let flat = try ONNXCall.applied(
        Reshape(to: [count, inner.reduce(1, *)]), to: [table])
      let gathered = try ONNXCall.applied(
        GatherRows(axis: 0),
        to: [flat, try ONNXCall.applied(Reshape(to: [examples * times]), to: [rows])])
      return try file(gathered)
    }

    /// Rows of all examples as the value of the file.
    func file(_ rows: Tensor) throws -> FileTensor {
      let result = try ONNXCall.applied(Reshape(to: [examples, times] + inner), to: [rows])
      return FileTensor(result, sizes: value.sizes, layout: order, type: value.type)
    }
  }

  /// The numbers 0, 1, … in one row.
  private static func counted(_ count: Int) throws -> Tensor {
    try ONNXCall.constant(
      HostTensor(floats: (0..<count).map { Float($0) }, sizes: [1, count]), layout: [0, 1]
    ).tensor
  }

  /// Numbers of the examples, [examples, 1].
  private static func perExample(
    _ call: ONNXCall, _ index: Int, _ examples: Int
  ) throws -> Tensor {
    let numbers = try call.network(index)
    guard numbers.sizes == [examples] else {
      throw NodeFailure.invalid("\(numbers.sizes) numbers of \(examples) examples")
    }
    return try call.apply(Reshape(to: [examples, 1]), to: numbers.tensor(as: [0]))
  }

  /// 1 where one of two conditions holds.
  private static func either(_ call: ONNXCall, _ a: Tensor, _ b: Tensor) throws -> Tensor {
    try call.apply(Maximum(), to: a, b)
  }

  /// The first rows of each example in the opposite order.
  private static func reverseSequence(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let batch = try ONNXCall.axis(call.node.int("batch_axis", 1), rank: input.rank)
    let time = try ONNXCall.axis(call.node.int("time_axis"), rank: input.rank)
    guard batch != time else { throw NodeFailure.invalid("a batch axis that is the time axis") }
    let rows = Rows(input, batch: batch, time: time)
    let lengths = try perExample(call, 1, rows.examples)
    let places = try counted(rows.times)
    let isReversed = try call.apply(Compare(.less), to: places, lengths)
    let last = try call.apply(Scale(1, bias: -1), to: lengths)
    let mirrored = try call.apply(Subtract(), to: last, places)
    let all = try call.apply(Expand(to: [rows.examples, rows.times]), to: places)
    let chosen = try call.apply(Where(), to: [isReversed, mirrored, all])
    let isWrong = try either(
      call, try call.apply(Compare(.less, than: [0]), to: lengths),
      try call.apply(Compare(.greater, than: [Float(rows.times)]), to: lengths))
    call.set(try rows.chosen(from: try rows.tensor(), at: chosen, isWrong: isWrong))
  }

  /// A memory with new rows from a place of each example on.
  private static func writeRows(_ call: inout ONNXCall) throws {
    let (memory, update) = (try call.network(0), try call.network(1))
    let axis = try ONNXCall.axis(call.node.int("axis", -2), rank: memory.rank)
    var fitting = memory.sizes
    guard memory.rank > 1, axis > 0, update.rank == memory.rank else {
      throw NodeFailure.invalid("axis \(axis) of \(memory.sizes) and \(update.sizes)")
    }
    fitting[axis] = update.sizes[axis]
    guard update.sizes == fitting, update.sizes[axis] <= memory.sizes[axis] else {
      throw NodeFailure.invalid("rows of sizes \(update.sizes) for \(memory.sizes)")
    }
    let mode = call.node.string("mode", "linear")
    guard mode == "linear" || mode == "circular" else {
      throw NodeFailure.unsupported("the mode \(mode)")
    }
    let rows = Rows(memory, batch: 0, time: axis)
    let new = Rows(update, batch: 0, time: axis)
    let starts =
      call.has(2)
      ? try perExample(call, 2, rows.examples)
      : try ONNXCall.constant(
        HostTensor(
          floats: Array(repeating: 0, count: rows.examples), sizes: [rows.examples, 1]),
        layout: [0, 1]
      ).tensor
    var places = try call.apply(Add(), to: starts, try counted(new.times))
    if mode == "circular" {
      places = try call.apply(Remainder(.ofDivisor, by: [Float(rows.times)]), to: places)
    }
    // A start below 0 does not count from the end: its places lie outside.
    let isWrong = try call.apply(Compare(.less, than: [0]), to: starts)
    let outside = try call.apply(Scale(Float(-2 * rows.times)), to: isWrong)
    places = try call.apply(Add(), to: places, outside)
    let result = try call.apply(
      ScatterElements(axis: 1, name: call.layerName),
      to: [
        try rows.tensor(),
        try call.apply(Reshape(to: [rows.examples, new.times, 1]), to: places), try new.tensor(),
      ])
    call.set(try rows.file(result))
  }
}

extension ONNXIntegerBounds.Rule {
  /// The numbers of the first input, at other places.
  static let firstInput = Self { _, bounds in bounds.first ?? nil }

  /// The numbers of the first two inputs.
  static let firstTwoInputs = Self { _, bounds in
    guard bounds.count >= 2, let a = bounds[0], let b = bounds[1] else { return nil }
    return max(a, b)
  }
}
