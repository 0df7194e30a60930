import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct BlobParametersTests {
  /// A head of three bytes, then values of three types.
  private func blob() throws -> (ScratchFolder, String) {
    let folder = try ScratchFolder()
    var bytes: [UInt8] = [1, 2, 3]
    for value in [1.5, -2, 3, 4] as [Float] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
    // 1, 2, -0.5, 65504 in half precision; 1, -3 in bfloat16.
    for half in [0x3c00, 0x4000, 0xb800, 0x7bff, 0x3f80, 0xc040] as [UInt16] {
      withUnsafeBytes(of: half.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return (folder, try folder.write("blob.bin", bytes))
  }

  private let weights = ParameterSpec(layer: "a", .weights, [.outputs: 2, .inputs: 2])
  private let biases = ParameterSpec(layer: "a", .biases, [.outputs: 4])
  private let other = ParameterSpec(layer: "b", .biases, [.outputs: 2])

  @Test func readsFromGivenPlaces() throws {
    let (folder, path) = try blob()
    let source = try BlobParameters(
      path,
      entries: [
        .init("a", .weights, offset: 3), .init("a", .biases, offset: 19, elementType: .float16),
        .init("b", .biases, offset: 27, elementType: .bfloat16),
      ], layout: .pytorch)
    #expect(source.goesByName)
    #expect(source.availableNames == ["a", "b"])
    #expect(try source.floats(for: weights) == [1.5, -2, 3, 4])
    #expect(try source.floats(for: biases) == [1, 2, -0.5, 65504])
    #expect(try source.floats(for: other) == [1, -3])
    #expect(try source.parameter(for: other)?.layout == .pytorch)
    #expect(try source.parameter(for: other)?.origin == "\(path): byte 27")
    #expect(try source.parameter(for: other.named("c")) == nil)
    _ = folder
  }

  @Test func readsPlacesFromClosure() throws {
    let (folder, path) = try blob()
    let file = try BlobParameters(path, entries: [])
    #expect(try file.data(at: 7, count: 2).floats() == [-2, 3])
    #expect(try file.data(at: 27, count: 2, elementType: .bfloat16).floats() == [1, -3])
    #expect(try file.data(at: 31, count: 0).floats() == [])
    for (offset, count) in [(-1, 1), (24, 2), (32, 0), (Int.max, 1)] {
      let error = #expect(throws: LoadError.self) { try file.data(at: offset, count: count) }
      #expect(error?.kind == .wrongSize)
    }
    for count in [-1, Int.max, Int.min] {
      let error = #expect(throws: LoadError.self) { try file.data(at: 0, count: count) }
      #expect(error?.kind == .wrongCount)
    }
    _ = folder
  }

  @Test func readsInOrder() throws {
    let folder = try ScratchFolder()
    let values = (0..<20).map { Float($0) }
    let path = try folder.write("packed.bin", values.withUnsafeBytes { Array($0) })
    let specs = [weights, other, biases]
    // The parameters of a layer stay together: a's weights and biases, then b's.
    let plain = try BlobParameters(path, packedFrom: 40)
    #expect(!plain.goesByName)
    let prepared = try plain.prepared(for: specs)
    #expect(try prepared.floats(for: weights) == [10, 11, 12, 13])
    #expect(try prepared.floats(for: biases) == [14, 15, 16, 17])
    #expect(try prepared.floats(for: other) == [18, 19])
    let ordered = try BlobParameters(path, packedFrom: 40, order: [.biases]).prepared(for: specs)
    #expect(try ordered.floats(for: biases) == [10, 11, 12, 13])
    #expect(try ordered.floats(for: weights) == [14, 15, 16, 17])
    // A separable convolution has two kernels.
    let kernels = [
      ParameterSpec(
        layer: "s", .weights, [.channels: 2, .multiplier: 1, .height: 1, .width: 2]),
      ParameterSpec(layer: "s", .weights, [.outputs: 3, .inputs: 2]),
    ]
    let separable = try BlobParameters(path, packedFrom: 40).prepared(for: kernels)
    #expect(try separable.floats(for: kernels[1]) == [14, 15, 16, 17, 18, 19])
  }

  @Test func errorsAreDescriptive() throws {
    let (folder, path) = try blob()
    func text(_ body: () throws -> Void) -> String { message(in: folder.path, body) }
    let source = try BlobParameters(
      path,
      entries: [
        .init("a", .weights, offset: 16), .init("b", .biases, offset: -1),
        .init("a", .biases, offset: Int.max),
      ])
    #expect(
      text { _ = try source.parameter(for: weights) } == """
        blob.bin: the values lie outside the file
          received  31 bytes
          needs     16 bytes from byte 16
        """)
    #expect(throws: LoadError.self) { try source.parameter(for: other) }
    #expect(throws: LoadError.self) { try source.parameter(for: biases) }
    #expect(
      text {
        _ = try BlobParameters(
          path, entries: [.init("a", .weights, offset: 0), .init("a", .weights, offset: 4)])
      } == """
        blob.bin: the weights of "a" have two places
          remedy    give each parameter one
        """)
    let packed = try BlobParameters(path, packedFrom: 3)
    #expect(
      text { _ = try packed.parameter(for: weights) } == """
        blob.bin: parameters are found by their order, which is not known
          remedy    call prepared(for:) with all of them first, as compile does
        """)
    #expect(
      text { _ = try packed.prepared(for: [weights, biases]) } == """
        blob.bin: the file has the wrong size
          received  31 bytes
          needs     35 bytes, 8 values of 4 bytes from byte 3
          remedy    check that the file belongs to this model and holds f32
        """)
    #expect(
      text { _ = try packed.prepared(for: [weights, weights]) } == """
        blob.bin: the weights of "a" have two places
          remedy    give each parameter one
        """)
    #expect(
      text { _ = try BlobParameters(path, packedFrom: 32) } == """
        blob.bin: the values lie outside the file
          received  31 bytes
          needs     0 bytes from byte 32
        """)
    let huge = ParameterSpec(layer: "h", .weights, [.outputs: 1 << 20, .inputs: 1 << 20])
    #expect(throws: LoadError.self) { try packed.prepared(for: [huge]) }
    let many = (0..<(1 << 20)).map { huge.named("h\($0 % 3)\($0)") }
    #expect(throws: LoadError.self) { try packed.prepared(for: many) }
  }
}
