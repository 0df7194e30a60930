import Forge
import ForgeLoaders

/// The matrix of integers of a quantized layer of Keras, and the real numbers they stand for.
struct KerasStoredMatrix: Sendable {
  /// Where the parts of a matrix are, and in which order.
  struct Form: Sendable {
    /// The name of the integers, with which those of scales and zero points begin.
    let name: String
    /// Whether the rows are outputs.
    let isOutputFirst: Bool
    /// The axis along which two integers of 4 bits share a byte.
    let packedAxis: Int

    /// The kernel of a dense layer: [inputs][outputs].
    static let kernel = Form(name: "kernel", isOutputFirst: false, packedAxis: 1)
    /// A table of embeddings: [ids][channels].
    static let embeddings = Form(name: "embeddings", isOutputFirst: true, packedAxis: 1)
    /// The matrix from channels back to ids: [channels][ids].
    static let reverse = Form(
      name: "reverse_embeddings", isOutputFirst: false, packedAxis: 0)
  }

  /// What the integers stand for.
  private enum Meaning: Sendable {
    /// They are divided by a number for each output.
    case divided([Float])
    /// They have a zero point and a scale for each group of inputs.
    case grouped(KerasGroups)
  }

  private let integers: KerasStoredIntegers
  private let isOutputFirst: Bool
  private let meaning: Meaning
  private let hasNibbles: Bool
  private let origin: String

  let inputs, outputs: Int

  /// The number of inputs whose integers have one scale in a product with 4-bit weights, where
  /// outputs have one scale.
  private static let blockSize = 128

  /// Reads the scales of a matrix; its integers stay in the file.
  ///
  /// - Parameters:
  ///   - layer: the layer.
  ///   - stored: its weights.
  ///   - weights: their form.
  ///   - form: where the parts are.
  ///   - inputs: the inputs that are summed.
  ///   - outputs: the outputs.
  /// - Throws: ``KerasFault``.
  init(
    _ layer: KerasLayer, _ stored: KerasStoredWeights, _ weights: KerasQuantization.Weights,
    _ form: Form, inputs: Int, outputs: Int
  ) throws(KerasFault) {
    (self.inputs, self.outputs, isOutputFirst) = (inputs, outputs, form.isOutputFirst)
    origin = "\(layer.file.path ?? "model"): \(layer.path) \(form.name)"
    let (rows, columns) = form.isOutputFirst ? (outputs, inputs) : (inputs, outputs)
    var packing = KerasStoredIntegers.Packing.pairs(along: form.packedAxis)
    switch weights {
    case .int8:
      packing = .bytes
      meaning = .divided(try stored.floats("\(form.name)_scale", count: outputs))
    case .int4: meaning = .divided(try stored.floats("\(form.name)_scale", count: outputs))
    case .int4Blocks(let size):
      let count = inputs.addingSaturated(size - 1) / size
      meaning = .grouped(
        try KerasGroups(
          stored, form.name, count: count, inputs: inputs, outputs: outputs,
          isOutputFirst: form.isOutputFirst))
    }
    if case .bytes = packing { hasNibbles = false } else { hasNibbles = true }
    integers = try stored.integers(form.name, rows: rows, columns: columns, packing: packing)
  }

  /// What sums of ``factors`` are divided by, for each output; `nil` for nothing.
  var divisors: [Float]? {
    if case .divided(let divisors) = meaning { divisors } else { nil }
  }

  /// What a product multiplies: the integers if sums are divided, otherwise real numbers.
  var factors: any ParameterData {
    guard case .divided = meaning else { return reals }
    return decoded { [integers] in try integers.numbers { number, _, _ in number } }
  }

  /// The real numbers.
  var reals: any ParameterData {
    decoded { [self] in
      try integers.numbers { number, row, column in
        let (input, output) = isOutputFirst ? (column, row) : (row, column)
        switch meaning {
        case .divided(let divisors): return number / divisors[output]
        case .grouped(let groups): return groups.real(number, input: input, output: output)
        }
      }
    }
  }

  /// The blocks of ``factors`` of 4 bits; `nil` for others.
  var blocks: WeightBlocks? {
    guard hasNibbles else { return nil }
    switch meaning {
    case .divided:
      let count = inputs.addingSaturated(Self.blockSize - 1) / Self.blockSize * outputs
      return WeightBlocks(
        size: Self.blockSize, scales: Array(repeating: 1, count: count),
        zeros: Array(repeating: 8, count: count))
    case .grouped(let groups): return groups.blocks
    }
  }

  private var layout: ParameterLayout { isOutputFirst ? .forge : .keras }

  private func decoded(_ values: @escaping @Sendable () throws -> [Float]) -> any ParameterData {
    KerasDecodedValues(
      count: integers.count, stored: (integers.data.elementType, integers.data.count),
      layout: layout, origin: origin, values: values)
  }
}

/// The scales and zero points of groups of inputs.
struct KerasGroups: Sendable {
  /// The groups of an output.
  private let count: Int
  /// Those of the groups of an output after another.
  private let scales, zeros: [Float]
  /// The group of each input.
  private let places: [Int]

  /// Reads groups.
  ///
  /// - Parameters:
  ///   - stored: the weights of the layer.
  ///   - name: what the names begin with.
  ///   - count: the groups of an output.
  ///   - inputs: the inputs.
  ///   - outputs: the outputs.
  ///   - isOutputFirst: whether those of an output are neighbors in the file.
  /// - Throws: ``KerasFault``.
  init(
    _ stored: KerasStoredWeights, _ name: String, count: Int, inputs: Int, outputs: Int,
    isOutputFirst: Bool
  ) throws(KerasFault) {
    let total = count.multipliedSaturated(by: outputs)
    guard count > 0, count <= inputs else {
      throw .invalid(
        "a quantized layer has a different number of groups", received: "\(count)",
        needs: "1 to \(inputs)")
    }
    func read(_ part: String) throws(KerasFault) -> [Float] {
      let numbers = try stored.floats("\(name)_\(part)", count: total)
      guard !isOutputFirst else { return numbers }
      return (0..<total).map { numbers[$0 % count * outputs + $0 / count] }
    }
    (scales, zeros) = (try read("scale"), try read("zero"))
    let indices = try stored.floats("g_idx", count: inputs)
    places = indices.compactMap { Int(exactly: $0) }
    guard places.count == inputs, places.allSatisfy({ (0..<count).contains($0) }) else {
      throw .invalid("g_idx names groups that a quantized layer does not have", needs: "\(count)")
    }
    self.count = count
  }

  /// The real number of an integer.
  func real(_ number: Float, input: Int, output: Int) -> Float {
    let group = output * count + places[input]
    return (number - zeros[group]) * scales[group]
  }

  /// The groups as blocks; `nil` unless they are neighbors with zero points from −8 to 7.
  var blocks: WeightBlocks? {
    let size = places.firstIndex { $0 != 0 } ?? (places.count + 15) / 16 * 16
    let zeros = self.zeros.compactMap { UInt8(exactly: $0 + 8) }
    guard places.indices.allSatisfy({ places[$0] == $0 / size }), zeros.count == scales.count,
      zeros.allSatisfy({ $0 < 16 })
    else { return nil }
    return WeightBlocks(size: size, scales: scales, zeros: zeros)
  }
}
