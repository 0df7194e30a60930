/// A tensor of a request or a response.
public struct TensorData: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The type of the elements.
  public var datatype: Datatype
  /// The sizes, the batch first.
  public var shape: [Int]
  /// The elements in row-major order, little-endian; each of ``Datatype/bytes`` has its length
  /// before it.
  public var content: ArraySlice<UInt8>

  /// Creates a tensor.
  public init(name: String, datatype: Datatype, shape: [Int], content: ArraySlice<UInt8>) {
    self.name = name
    self.datatype = datatype
    self.shape = shape
    self.content = content
  }

  /// The most axes of a tensor.
  static let maximumRank = 32

  /// The product of sizes.
  ///
  /// - Throws: ``ServingError`` when a size is negative or the product has no room in memory.
  static func elementCount(of shape: [Int], name: String) throws(ServingError) -> Int {
    guard shape.count <= maximumRank else {
      throw .invalid("the shape of \"\(name)\" has more than \(maximumRank) sizes")
    }
    var count = 1
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow, product < 1 << 40 else {
        throw .invalid("the shape of \"\(name)\" is out of range: \(shape)")
      }
      count = product
    }
    return count
  }

  /// Checks that the bytes are those of the shape.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`.
  func checkContent() throws(ServingError) {
    let count = try Self.elementCount(of: shape, name: name)
    if let size = datatype.byteCount {
      guard content.count == count * size else {
        throw .invalid(
          "the input \"\(name)\" has \(content.count) bytes, and \(shape) of \(datatype.rawValue) "
            + "needs \(count * size)")
      }
    } else {
      _ = try strings(count)
    }
  }

  /// The byte strings of a tensor of ``Datatype/bytes``.
  ///
  /// - Throws: ``ServingError`` when there are fewer or more than `count`.
  package func strings(_ count: Int) throws(ServingError) -> [ArraySlice<UInt8>] {
    var result: [ArraySlice<UInt8>] = []
    var rest = content
    // Each string takes 4 bytes at least.
    guard count <= content.count / 4 else {
      throw .invalid("the input \"\(name)\" has fewer than \(count) strings")
    }
    result.reserveCapacity(count)
    while !rest.isEmpty {
      guard rest.count >= 4, result.count < count else {
        throw .invalid("the strings of \"\(name)\" do not fill its shape \(shape)")
      }
      let start = rest.startIndex
      let length = (0..<4).reduce(0) { $0 | Int(rest[start + $1]) << (8 * $1) }
      guard length <= rest.count - 4 else {
        throw .invalid("a string of \"\(name)\" is longer than its bytes")
      }
      result.append(rest[(start + 4)..<(start + 4 + length)])
      rest = rest[(start + 4 + length)...]
    }
    guard result.count == count else {
      throw .invalid("the strings of \"\(name)\" do not fill its shape \(shape)")
    }
    return result
  }

  /// Appends a byte string with its length.
  package static func append(_ string: some Collection<UInt8>, to content: inout [UInt8]) {
    let count = UInt32(truncatingIfNeeded: string.count)
    for shift in [0, 8, 16, 24] { content.append(UInt8(truncatingIfNeeded: count >> shift)) }
    content.append(contentsOf: string)
  }
}
