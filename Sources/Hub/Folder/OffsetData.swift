import ForgeLoaders
import ForgeShapes

/// Numbers that a file holds less another one, such as the gammas of Gemma.
struct OffsetData: ParameterData {
  private let base: any ParameterData
  private let offset: Float

  var count: Int { base.count }
  var sizes: [Int]? { base.sizes }
  var elementType: ElementType { .float32 }
  var layout: ParameterLayout { base.layout }
  var origin: String { base.origin }
  var temporaryByteCount: Int {
    base.temporaryByteCount + count.multipliedSaturated(by: elementType.byteCount)
  }

  /// Adds a number to each of those that a file holds.
  init(_ base: any ParameterData, offset: Float) {
    (self.base, self.offset) = (base, offset)
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try base.withUnsafeBytes { bytes in
      guard bytes.count >= count.multipliedSaturated(by: base.elementType.byteCount) else {
        throw LoadError(.damaged, "the tensor shrank while it was read", path: origin)
      }
      var values = [Float](unsafeUninitializedCapacity: count) { memory, initialized in
        base.elementType.convert(
          bytes, into: UnsafeMutableBufferPointer(rebasing: memory[..<count]))
        initialized = count
      }
      for index in values.indices { values[index] += offset }
      try values.withUnsafeBytes(body)
    }
  }
}
