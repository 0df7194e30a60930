import ForgeHDF5
import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Written weight files give the same bits when read again.
@Suite struct HDF5WeightsTests {
  typealias Parameter = (spec: ParameterSpec, data: any ParameterData)

  /// One layer of each kind.
  static let specs: [ParameterSpec] =
    [
      Specs.convolution("conv1", 4, 3, 2, 5), Specs.biases("conv1", 4),
      Specs.depthwise("dw", 4, 2, 3, 3), Specs.biases("dw", 8),
    ]
    // The file has Keras's order of a layer's parameters, whatever this one is.
    + Specs.perChannel("bn", [.variance, .beta, .mean, .gamma], 8)
    + [ParameterSpec(layer: "prelu", .slopes, [.height: 3, .width: 2, .channels: 8])]
    + [
      Specs.biases("block/inner", 6), Specs.convolution("block/inner", 6, 1, 1, 8),
      Specs.depthwise("separable", 6, 1, 3, 3), Specs.convolution("separable", 5, 1, 1, 6),
      Specs.biases("separable", 5), Specs.convolution("fc", 10, 3, 2, 5), Specs.biases("fc", 10),
    ]

  /// Values that differ from place to place and from parameter to parameter, exact as halves.
  static func values(_ spec: ParameterSpec) -> [Float] {
    let start = specs.firstIndex(of: spec) ?? 0
    return (0..<spec.count).map { Float(($0 * 7 + start * 13) % 509 - 254) / 64 }
  }

  /// The parameters with values in Forge's order.
  static let parameters: [Parameter] = specs.map { ($0, ParameterValues(values($0))) }

  /// The values of a parameter, which a file has in Keras's order, in Forge's.
  private func inForgeOrder(_ data: any ParameterData, _ spec: ParameterSpec) throws -> [Float] {
    let strides = try #require(data.layout.strides(for: spec))
    let stored = try data.storedFloats()
    var result: [Float] = []
    for number in 0..<spec.count {
      var rest = number
      var place = 0
      for axis in spec.sizes.indices.reversed() {
        place += rest % spec.sizes[axis] * strides[axis]
        rest /= spec.sizes[axis]
      }
      result.append(stored[place])
    }
    return result
  }

  private func check(_ source: any ParameterSource, _ specs: [ParameterSpec]) throws {
    let ready = try source.prepared(for: specs)
    for spec in specs {
      let data = try #require(try ready.parameter(for: spec), "\(spec)")
      let found = try inForgeOrder(data, spec).map(\.bitPattern)
      #expect(found == Self.values(spec).map(\.bitPattern), "\(spec)")
    }
  }

  @Test func roundTripPreservesBits() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/net.h5"
    try HDF5Weights.write(Self.parameters, matrices: ["fc"], to: path)
    let names = ["conv1", "dw", "bn", "prelu", "block/inner", "separable", "fc"]
    #expect(try HDF5File(path).texts(ofAttribute: "layer_names") == names)
    #expect(try HDF5File(path).texts(ofAttribute: "backend") == ["tensorflow"])
    #expect(try HDF5File(path).texts(ofAttribute: "keras_version") == ["2.15.0"])
    #expect(
      try HDF5File(path).texts(ofAttribute: "weight_names", at: "/bn") == [
        "bn/gamma:0", "bn/beta:0", "bn/moving_mean:0", "bn/moving_variance:0",
      ])
    #expect(
      try HDF5File(path).texts(ofAttribute: "weight_names", at: "/separable") == [
        "separable/depthwise_kernel:0", "separable/pointwise_kernel:0", "separable/bias:0",
      ])
    #expect(try HDF5File(path).data(at: "/fc/fc/kernel:0").sizes == [30, 10])
    #expect(try HDF5File(path).data(at: "/conv1/conv1/kernel:0").sizes == [3, 2, 5, 4])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["net.h5"])
    try check(HDF5Parameters(path), Self.specs)
    try check(HDF5Parameters(path, matching: .inOrder), Self.specs)
    try check(WeightFile(path).parameters(), Self.specs)
    let renamed = Self.specs.map { $0.named("other_" + $0.layer) }
    let inOrder = try HDF5Parameters(path, matching: .inOrder).prepared(for: renamed)
    for (spec, other) in zip(Self.specs, renamed) {
      let data = try #require(try inOrder.parameter(for: other))
      #expect(try inForgeOrder(data, spec) == Self.values(spec))
    }
  }

  @Test func writesEveryAxisOrderAndType() throws {
    let folder = try TemporaryFolder()
    let first = folder.path + "/first.h5"
    try HDF5Weights.write(Self.parameters, matrices: ["fc"], to: first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: first))
    // What was read in Keras's order states its sizes: a matrix stays one.
    let source = try HDF5Parameters(first).prepared(for: Self.specs)
    let copied = try Self.specs.map { spec in
      (spec: spec, data: try #require(try source.parameter(for: spec)))
    }
    try HDF5Weights.write(copied, to: folder.path + "/copy.h5")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/copy.h5")) == bytes)
    for layout in [ParameterLayout.pytorch, .axes([.inputs, .width, .outputs, .height])] {
      let spec = Self.specs[0]
      let strides = try #require(layout.strides(for: spec))
      var values = [Float](repeating: 0, count: spec.count)
      for (number, value) in Self.values(spec).enumerated() {
        var rest = number
        var place = 0
        for axis in spec.sizes.indices.reversed() {
          place += rest % spec.sizes[axis] * strides[axis]
          rest /= spec.sizes[axis]
        }
        values[place] = value
      }
      let path = folder.path + "/other.h5"
      let halves = values.map { Float16($0) }.withUnsafeBytes { [UInt8]($0) }
      try HDF5Weights.write(
        [(spec, try ParameterValues(bytes: halves, elementType: .float16, layout: layout))],
        to: path)
      try check(HDF5Parameters(path), [spec])
    }
  }

  @Test func splitsLongNameLists() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/net.h5"
    let long = String(repeating: "n", count: 200)
    let specs = (0..<700).map { Specs.biases("\(long)\($0)", 1) }
    try HDF5Weights.write(
      specs.enumerated().map { ($1, ParameterValues([Float($0)])) }, to: path)
    let source = try HDF5Parameters(path)
    #expect(source.availableNames == specs.map(\.layer))
    for (number, spec) in specs.enumerated() {
      #expect(try source.parameter(for: spec)?.storedFloats() == [Float(number)])
    }
  }

  @Test func writesEmptyFile() throws {
    let folder = try TemporaryFolder()
    try HDF5Weights.write([], to: folder.path + "/net.h5")
    #expect(try HDF5File(folder.path + "/net.h5").entries.isEmpty)
  }

  @Test func errorsAreDescriptive() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("net.h5", bytes: [1, 2, 3])
    func error(_ parameters: [Parameter], to path: String) throws -> LoadError {
      try loadError { try HDF5Weights.write(parameters, to: path) }
    }
    let biases = Specs.biases("a", 2)
    let two: Parameter = (biases, ParameterValues([1, 2]))
    #expect(
      try error([two, two], to: path).description == """
        \(path): a/bias:0: two parameters have the same name
          remedy    give each layer a name of its own
        """)
    #expect(
      try error([two, (Specs.biases("a", 3), ParameterValues([1]))], to: path).kind == .duplicate)
    #expect(
      try error([(biases, ParameterValues([1]))], to: path).description == """
        the biases of "a" have the wrong number of values
          received  1 value
          needs     2 values, 2 [O]
        """)
    for name in ["", "/a", "a/", "a//b", ".", "a/./b", "a\0"] {
      #expect(
        try error([(Specs.biases(name, 2), ParameterValues([1, 2]))], to: path).kind == .badName)
    }
    let other = ParameterValues([1, 2], layout: .axes([.height]))
    #expect(try error([(biases, other)], to: path).kind == .wrongShape)
    #expect(
      try error([two], to: "/no/such/folder/net.h5").description == """
        /no/such/folder/net.h5: the file cannot be written
          received  there is no such folder
        """)
    #expect(try error([two], to: "a\0").kind == .badName)
    #expect(try error([two], to: folder.path).kind == .notARegularFile)
    // What was there is there, and nothing else.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["net.h5"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
  }

  @Test func writesConcurrently() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          try HDF5Weights.write(Self.parameters, to: "\(path)/\(number).h5")
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<16 {
      try check(HDF5Parameters("\(path)/\(number).h5"), Self.specs)
    }
  }

  static let python = ProcessInfo.processInfo.environment["FORGE_PYTHON"]

  /// `Fixtures/check_weights.py` reads a file with h5py, and with Keras where that is installed.
  @Test(.enabled(if: python != nil, "FORGE_PYTHON names no Python with h5py"))
  func pythonReadsEqualValues() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/net.h5"
    try HDF5Weights.write(Self.parameters, matrices: ["fc"], to: path)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.python))
    process.arguments = [Fixtures.path("check_weights.py"), path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
