import Forge
import ForgeLoaders

/// A matrix of integers as a quantized layer of Keras stores it, which stays in the file.
struct KerasStoredIntegers: Sendable {
  /// How many integers a byte holds.
  enum Packing: Sendable {
    /// One.
    case bytes
    /// Two of 4 bits, neighbors along an axis: the first one in the lower half.
    case pairs(along: Int)
  }

  let rows, columns: Int
  let packing: Packing
  let data: any ParameterData

  /// The number of integers.
  var count: Int { rows * columns }

  /// Describes a matrix; `nil` unless it has the bytes of its sizes.
  init?(_ data: any ParameterData, rows: Int, columns: Int, packing: Packing) {
    let bytes: (rows: Int, columns: Int) =
      switch packing {
      case .bytes: (rows, columns)
      case .pairs(along: 0): (rows.addingSaturated(1) / 2, columns)
      case .pairs: (rows, columns.addingSaturated(1) / 2)
      }
    guard rows > 0, columns > 0, Shape.product(of: [rows, columns]) != nil,
      data.elementType == .int8,
      data.count == bytes.rows.multipliedSaturated(by: bytes.columns)
    else { return nil }
    (self.rows, self.columns, self.packing, self.data) = (rows, columns, packing, data)
  }

  /// The results of `transform` for the integers and their positions, row by row.
  func numbers(_ transform: (Float, _ row: Int, _ column: Int) -> Float) throws -> [Float] {
    var numbers: [Float] = []
    numbers.reserveCapacity(count)
    try data.withBytes(atLeast: data.count) { bytes in
      for row in 0..<rows {
        for column in 0..<columns {
          numbers.append(transform(Float(integer(bytes, row, column)), row, column))
        }
      }
    }
    return numbers
  }

  /// The integer at a place.
  private func integer(_ bytes: UnsafeRawBufferPointer, _ row: Int, _ column: Int) -> Int {
    let byte: UInt8
    let isSecond: Bool
    switch packing {
    case .bytes: return Int(Int8(bitPattern: bytes[row * columns + column]))
    case .pairs(along: 0):
      byte = bytes[row / 2 * columns + column]
      isSecond = !row.isMultiple(of: 2)
    case .pairs:
      byte = bytes[row * ((columns + 1) / 2) + column / 2]
      isSecond = !column.isMultiple(of: 2)
    }
    let half = Int(isSecond ? byte >> 4 : byte & 0xf)
    return half > 7 ? half - 16 : half
  }
}

/// The weights of a quantized layer, by the names that Keras gives them.
///
/// `.keras` files number them in the order in which the layer lists them.
struct KerasStoredWeights: Sendable {
  private let layer: KerasLayer
  /// The names of those that the layer has, in order.
  private let names: [String]

  init(_ layer: KerasLayer, _ names: [String?]) {
    (self.layer, self.names) = (layer, names.compactMap(\.self))
  }

  /// The weights of a dense layer.
  init(kernelOf layer: KerasLayer, _ weights: KerasQuantization.Weights, hasBiases: Bool) {
    let bias = hasBiases ? "bias" : nil
    switch weights {
    case .int8, .int4: self.init(layer, ["kernel", bias, "kernel_scale"])
    case .int4Blocks:
      self.init(layer, ["kernel", bias, "kernel_scale", "kernel_zero", "g_idx"])
    }
  }

  /// The weights of embeddings, and those of the way back if it has some of its own.
  init(
    embeddingsOf layer: KerasLayer, _ weights: KerasQuantization.Weights?,
    hasReverse: Bool = false
  ) {
    let tables = hasReverse ? ["embeddings", "reverse_embeddings"] : ["embeddings"]
    var names: [String?] = []
    for table in tables {
      names.append(table)
      guard let weights else { continue }
      names.append("\(table)_scale")
      guard case .int4Blocks = weights else { continue }
      // The groups of both tables are the same.
      names += ["\(table)_zero", table == "embeddings" ? "g_idx" : nil]
    }
    self.init(layer, names)
  }

  /// The number of inputs of the kernel of a dense layer.
  func inputs(
    _ weights: KerasQuantization.Weights, outputs: Int
  ) throws(KerasFault) -> Int {
    guard outputs > 0 else {
      throw .invalid("a layer has no outputs", received: "\(outputs)", needs: "1 or more")
    }
    return switch weights {
    case .int8: try data("kernel").count / outputs
    case .int4, .int4Blocks: try data("kernel").count / (outputs.addingSaturated(1) / 2)
    }
  }

  /// The values, which are read when they are used.
  func data(_ name: String) throws(KerasFault) -> any ParameterData {
    try layer.file.values.data(name, number: names.firstIndex(of: name), of: layer)
  }

  /// Numbers, which must be as many as stated.
  func floats(_ name: String, count: Int) throws(KerasFault) -> [Float] {
    let floats = try layer.file.values.floats(
      name, number: names.firstIndex(of: name), of: layer)
    guard floats.count == count else {
      throw .invalid(
        "the \(name) of a quantized layer has a different size",
        received: "\(floats.count) numbers",
        needs: "\(count)")
    }
    return floats
  }

  /// A matrix of integers.
  func integers(
    _ name: String, rows: Int, columns: Int, packing: KerasStoredIntegers.Packing
  ) throws(KerasFault) -> KerasStoredIntegers {
    let data = try data(name)
    guard
      let integers = KerasStoredIntegers(data, rows: rows, columns: columns, packing: packing)
    else {
      throw .invalid(
        "the \(name) of a quantized layer has a different type",
        received: "\(data.elementType.rawValue) \(data.sizes ?? [data.count])",
        needs: "integers of \(rows)×\(columns)")
    }
    return integers
  }
}
