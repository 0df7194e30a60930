import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Weight files of narrow types: the values that are read are the nearest ones of the type.
@Suite struct StoredTypeTests {
  /// Every half, its neighbors and the middles between them, infinities and NaN.
  @Test func halvesAreTheNearest() {
    for bits in UInt16.min...UInt16.max {
      let half = Float16(bitPattern: bits)
      let value = Float(half)
      for number in [value, value.nextUp, value.nextDown, (value + Float(half.nextUp)) / 2] {
        let expected = Float16(number)
        if number.isNaN {
          #expect(Float16(bitPattern: number.halfPrecisionBits).isNaN)
        } else if number.halfPrecisionBits != expected.bitPattern {
          Issue.record("\(number): \(number.halfPrecisionBits), not \(expected.bitPattern)")
        }
      }
    }
  }

  /// The rounded number is one of the two neighbors, the nearer one, or the even one of two.
  @Test func bfloatsAreTheNearest() {
    var state: UInt64 = 3
    for _ in 0..<200_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
      let rounded = Float(bitPattern: UInt32(value.bfloat16Bits) << 16)
      guard value.isFinite else {
        #expect(value.isNaN ? rounded.isNaN : rounded == value)
        continue
      }
      let below = Float(bitPattern: value.bitPattern & 0xFFFF_0000)
      let above = Float(bitPattern: (value.bitPattern & 0xFFFF_0000) &+ 0x1_0000)
      let (a, b) = (abs(Double(value) - Double(below)), abs(Double(above) - Double(value)))
      let even = value.bitPattern >> 16 & 1 == 0 ? below : above
      let expected = a < b ? below : a > b ? above : even
      if above.isFinite { #expect(rounded == expected) }
    }
  }

  private let kernel = ParameterSpec(
    layer: "conv", .weights, [.outputs: 3, .height: 2, .width: 1, .inputs: 5])
  private let bias = ParameterSpec(layer: "conv", .biases, [.outputs: 3])
  private let values: [Float] = (0..<30).map { Float(($0 * 37) % 61 - 30) / 7 }

  private func withFile(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "forge-types-\(UUID().uuidString).safetensors"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  private func floats(_ data: any ParameterData) throws -> [Float] {
    var floats = Array(repeating: Float(0), count: data.count)
    try data.withUnsafeBytes { bytes in
      floats.withUnsafeMutableBufferPointer { data.elementType.convert(bytes, into: $0) }
    }
    return floats
  }

  @Test(arguments: [ParameterLayout.forge, .pytorch, .keras], StoredType.allCases)
  func filesAreReadBack(_ layout: ParameterLayout, _ type: StoredType) throws {
    try withFile { path in
      let biases: [Float] = [1.0009765625, -3, 1e-6]
      try SafeTensors.write(
        [(kernel, ParameterValues(values)), (bias, ParameterValues(biases))], layout: layout,
        as: type, to: path)
      let source = try SafeTensorsParameters(path, layout: layout)
      #expect(source.availableNames == ["conv"])
      let data = try #require(try source.parameter(for: kernel))
      // The order of the file is undone by its strides.
      let strides = try #require(data.layout.strides(for: kernel))
      let read = try floats(data)
      var place = 0
      var worst: Float = 0
      for o in 0..<3 {
        for h in 0..<2 {
          for w in 0..<1 {
            for i in 0..<5 {
              let index = zip([o, h, w, i], strides).reduce(0) { $0 + $1.0 * $1.1 }
              let largest = values[o * 10..<o * 10 + 10].map(\.magnitude).max() ?? 0
              let bound: Float =
                switch type {
                case .float32: 0
                case .float16: values[place].magnitude * 0x1p-11
                case .bfloat16: values[place].magnitude * 0x1p-8
                case .int8: largest / 127 * 0.5001
                }
              worst = max(worst, (read[index] - values[place]).magnitude - bound)
              place += 1
            }
          }
        }
      }
      #expect(worst <= 0)
      let own = try floats(try #require(try source.parameter(for: bias)))
      let isWhole = type == .float32 || type == .int8
      #expect(isWhole ? own == biases : abs(own[0] - biases[0]) <= 0x1p-8)
      // Every tensor is aligned to its type, as PyTorch's reader needs it.
      for tensor in try SafeTensors(path).tensors {
        let width = try #require(tensor.elementType).byteCount
        #expect(tensor.byteRange.lowerBound.isMultiple(of: width))
      }
    }
  }

  @Test func valuesThatDoNotFitAreErrors() throws {
    try withFile { path in
      for (value, type) in [(Float(65_520), StoredType.float16), (.nan, .int8), (.infinity, .int8)]
      {
        var own = values
        own[7] = value
        let error = #expect(throws: LoadError.self) {
          try SafeTensors.write([(kernel, ParameterValues(own))], as: type, to: path)
        }
        #expect(error?.kind == .wrongElementType)
        #expect(error?.layer == "conv")
        #expect(!FileManager.default.fileExists(atPath: path))
      }
      // Zeros and denormal numbers have scales, too.
      for value in [Float(0), .leastNonzeroMagnitude] {
        let own = Array(repeating: value, count: 30)
        try SafeTensors.write([(kernel, ParameterValues(own))], as: .int8, to: path)
        let data = try #require(try SafeTensorsParameters(path).parameter(for: kernel))
        #expect(try floats(data).allSatisfy { abs($0 - value) <= .leastNormalMagnitude })
      }
    }
  }

  @Test func scalesThatDoNotFitAreErrors() throws {
    func file(scale: String, _ bytes: Int) -> [UInt8] {
      let json =
        #"{"conv.weight":{"dtype":"I8","shape":[3,5,2,1],"data_offsets":[0,30]},"#
        + #""conv.weight_scale":{"dtype":"F32","shape":\#(scale),"#
        + #""data_offsets":[30,\#(30 + bytes)]}}"#
      return withUnsafeBytes(of: UInt64(json.utf8.count).littleEndian) { Array($0) }
        + Array(json.utf8) + Array(repeating: 1, count: 30 + bytes)
    }
    for (scale, bytes, fits) in [
      ("[3,1,1,1]", 12, true), ("[3]", 12, true), ("[]", 4, true), ("[1]", 4, true),
      ("[1,5,1,1]", 20, false), ("[2]", 8, false), ("[3,5,1,1]", 60, false), ("[0]", 0, false),
    ] {
      let source = try SafeTensorsParameters(bytes: file(scale: scale, bytes))
      if fits {
        #expect(try source.parameter(for: kernel)?.count == 30)
      } else {
        let error = #expect(throws: LoadError.self) { try source.parameter(for: kernel) }
        #expect(error?.kind == .wrongShape)
      }
    }
  }
}
