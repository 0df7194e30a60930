import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation
import Testing

@Suite struct StoredTensorTests {
  /// Numbers that every type rounds or clamps, with what NumPy's rounding gives.
  private let numbers: [Float] = [0, 1, -1, 2.5, 3.5, -2.5, 300, -300, 1e20, .nan]

  @Test func integersAreTheNearestOnes() throws {
    func integers(_ type: ElementType) throws -> [Int64]? {
      try StoredTensor(floats: numbers, elementType: type).int64s
    }
    #expect(try integers(.int8) == [0, 1, -1, 2, 4, -2, 127, -128, 127, 0])
    #expect(try integers(.uint8) == [0, 1, 0, 2, 4, 0, 255, 0, 255, 0])
    #expect(try integers(.int32) == [0, 1, -1, 2, 4, -2, 300, -300, Int64(Int32.max), 0])
    #expect(try integers(.int64) == [0, 1, -1, 2, 4, -2, 300, -300, .max, 0])
    #expect(try integers(.bool) == [0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    #expect(try integers(.float32) == nil)
  }

  @Test(arguments: [ElementType.float32, .float16, .bfloat16, .float64])
  func floatsSurvive(_ type: ElementType) throws {
    let exact: [Float] = [0, 1, -1.5, 0.09375, 240]
    #expect(try StoredTensor(floats: exact, elementType: type).floats == exact)
  }

  @Test func bfloat16RoundsTiesToEven() throws {
    let tensor = try StoredTensor(
      floats: [Float(bitPattern: 0x3F80_8000), Float(bitPattern: 0x3F81_8000), .nan],
      elementType: .bfloat16)
    #expect(tensor.bytes == [0x80, 0x3F, 0x82, 0x3F, 0xC0, 0x7F])
  }

  @Test func bytesMustFillTheSizes() {
    let error = #expect(throws: ImportError.self) {
      try StoredTensor(elementType: .int32, sizes: [2, 3], bytes: Array(repeating: 0, count: 23))
    }
    #expect(
      error?.description == """
        the bytes do not fill the sizes
          received  23 bytes
          needs     2×3 elements of 4 bytes
        """)
    #expect(throws: ImportError.self) {
      try StoredTensor(elementType: .int64, sizes: [.max, .max], bytes: [])
    }
    #expect(throws: ImportError.self) {
      try StoredTensor(elementType: .int64, sizes: [-1], bytes: [])
    }
  }

  @Test(arguments: ElementType.allCases)
  func numPyFilesKeepTheType(_ type: ElementType) throws {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID()).npy"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let tensor = try StoredTensor(floats: [0, 1, 0, 1, 1, 1], sizes: [2, 3], elementType: type)
    try tensor.write(to: path)
    let read = try StoredTensor(numPy: path)
    #expect(read.elementType == (type == .bfloat16 ? .float32 : type))
    #expect(read.sizes == [2, 3])
    #expect(read.floats == tensor.floats)
  }
}
