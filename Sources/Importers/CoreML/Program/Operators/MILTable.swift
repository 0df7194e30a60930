import Forge

/// Tables of values or vectors, one for each block of places: [blocks …, values, vector].
struct MILTable: Sendable {
  /// The sizes of the values.
  let sizes: [Int]
  /// The axis along which a vector lies, and its length.
  let axis, length: Int
  private let places: [Int]
  private let blocks: [Int]
  private let count: Int
  private let table: MILOperators.Numbers

  /// A short table must not become a tensor that is many times as long as the file.
  private static let longestVector = 64

  /// The tables `lut` of an operation.
  ///
  /// - Parameters:
  ///   - call: the operation.
  ///   - places: the sizes of the places.
  /// - Throws: ``NodeFailure`` for tables that do not fit them.
  init(_ call: MILCall, of places: [Int]) throws {
    table = try MILOperators.numbers(call, "lut")
    let rank = places.count
    guard rank >= 1, table.sizes.count == rank + 2,
      zip(places, table.sizes).allSatisfy({ $1 > 0 && $0.isMultiple(of: $1) })
    else { throw NodeFailure.invalid("a table \(table.sizes) for indices \(places)") }
    (count, length) = (table.sizes[rank], table.sizes[rank + 1])
    axis = try ONNXCall.axis(try call.int("vector_axis", rank - 1), rank: rank)
    guard length >= 1, count >= 1, length == 1 || call.has("vector_axis") else {
      throw NodeFailure.invalid("vectors of \(length) values without an axis")
    }
    guard length <= Self.longestVector else {
      throw NodeFailure.unsupported("vectors of \(length) values")
    }
    var sizes = places
    sizes[axis] = sizes[axis].multipliedSaturated(by: length)
    guard Shape.product(of: sizes) != nil else { throw NodeFailure.invalid("sizes \(sizes)") }
    (self.sizes, self.places, blocks) = (sizes, places, Array(table.sizes.prefix(rank)))
  }

  /// What the tables have at the places.
  ///
  /// - Throws: ``NodeFailure`` for a place beyond its table, and what reading the file throws.
  func values(_ indices: [Float]) throws -> [Float] {
    let values = try table.values()
    let inner = places[(axis + 1)...].reduce(1, *)
    var result = [Float](repeating: 0, count: sizes.reduce(1, *))
    var failure: Float?
    MILOperators.forEachBlock(places, blocks) { index, block in
      let place = Int(Int64(saturating: indices[index]))
      guard (0..<count).contains(place) else { return failure = indices[index] }
      let start = index / inner * inner * length + index % inner
      for part in 0..<length {
        result[start + part * inner] = values[(block * count + place) * length + part]
      }
    }
    if let failure { throw NodeFailure.invalid("index \(failure) in a table of \(count)") }
    return result
  }
}
