import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Written safetensors files give the same bits when read again.
@Suite struct SafeTensorsWritingTests {
  typealias Parameter = (spec: ParameterSpec, data: any ParameterData)

  /// One layer of each kind, and parameters of own layers.
  private static let specs: [ParameterSpec] = [
    ParameterSpec(layer: "conv1", .weights, [.outputs: 4, .height: 3, .width: 2, .inputs: 5]),
    ParameterSpec(layer: "conv1", .biases, [.outputs: 4]),
    ParameterSpec(
      layer: "stage1.dw", .weights, [.channels: 4, .multiplier: 2, .height: 3, .width: 3]),
    ParameterSpec(layer: "bn", .gamma, [.channels: 8]),
    ParameterSpec(layer: "bn", .beta, [.channels: 8]),
    ParameterSpec(layer: "bn", .mean, [.channels: 8]),
    ParameterSpec(layer: "bn", .variance, [.channels: 8]),
    ParameterSpec(layer: "prelu", .slopes, [.height: 3, .width: 2, .channels: 8]),
    ParameterSpec(layer: "fc", .weights, [.outputs: 10, .height: 3, .width: 2, .inputs: 5]),
    ParameterSpec(layer: "own", ParameterType("scale"), [.outputs: 2, .inputs: 3]),
    // Both would be "weight" in PyTorch.
    ParameterSpec(layer: "both", .weights, [.outputs: 2, .height: 1, .width: 1, .inputs: 3]),
    ParameterSpec(layer: "both", .gamma, [.channels: 2]),
  ]

  private static func values(_ spec: ParameterSpec) -> [Float] {
    let start = specs.firstIndex(of: spec) ?? 0
    return (0..<spec.count).map { Float(($0 * 7 + start * 13) % 509 - 254) / 64 }
  }

  private static let parameters: [Parameter] = specs.map { ($0, ParameterValues(values($0))) }

  /// Expects that a source has the values of every parameter.
  private func check(_ source: some ParameterSource) throws {
    let ready = try source.prepared(for: Self.specs)
    for spec in Self.specs {
      let data = try #require(try ready.parameter(for: spec), "\(spec)")
      #expect(spec.fits(data.sizes ?? [], in: data.layout), "\(spec)")
      let strides = try #require(data.layout.strides(for: spec))
      let stored = try data.floats()
      let found = (0..<spec.count).map { number in
        var (rest, place) = (number, 0)
        for axis in spec.sizes.indices.reversed() {
          place += rest % spec.sizes[axis] * strides[axis]
          rest /= spec.sizes[axis]
        }
        return stored[place].bitPattern
      }
      #expect(found == Self.values(spec).map(\.bitPattern), "\(spec)")
    }
  }

  @Test(arguments: [ParameterLayout.pytorch, .keras, .forge])
  func roundTripPreservesBits(_ layout: ParameterLayout) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "net.safetensors"
    try SafeTensors.write(Self.parameters, matrices: ["fc"], layout: layout, to: path)
    try check(try SafeTensorsParameters(path, layout: layout))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["net.safetensors"])
  }

  @Test func namesAndShapesOfPyTorch() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "net.safetensors"
    try SafeTensors.write(Self.parameters, matrices: ["fc"], to: path)
    let file = try SafeTensors(path)
    #expect(
      file.tensors.map { "\($0.name) \($0.sizes) \($0.typeName)" } == [
        "conv1.weight [4, 5, 3, 2] f32", "conv1.bias [4] f32",
        "stage1.dw.weight [8, 1, 3, 3] f32", "bn.weight [8] f32", "bn.bias [8] f32",
        "bn.running_mean [8] f32", "bn.running_var [8] f32", "prelu.weight [8, 3, 2] f32",
        "fc.weight [10, 30] f32", "own.scale [2, 3] f32", "both.pointwise_kernel [2, 3, 1, 1] f32",
        "both.gamma [2] f32",
      ])
    #expect(file.metadata == ["format": "pt"])
    // O 1, I 4, H 2, W 0: ((1·5 + 4)·3 + 2)·2 in the file, ((1·3 + 2)·2)·5 + 4 in Forge's order.
    let stored = try file.data(named: "conv1.weight").floats()
    let (place, own) = (58, 54)
    #expect(stored[place] == Self.values(Self.specs[0])[own])
    // The values begin at a multiple of eight bytes.
    #expect(file.tensors.first.map { $0.byteRange.lowerBound % 8 } == 0)
  }

  @Test func otherAxisOrdersAndTypes() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "net.safetensors"
    let spec = Self.specs[0]
    let order: [ParameterAxis] = [.inputs, .width, .outputs, .height]
    let strides = try #require(ParameterLayout.axes(order).strides(for: spec))
    var values = [Float](repeating: 0, count: spec.count)
    for (number, value) in Self.values(spec).enumerated() {
      var (rest, place) = (number, 0)
      for axis in spec.sizes.indices.reversed() {
        place += rest % spec.sizes[axis] * strides[axis]
        rest /= spec.sizes[axis]
      }
      values[place] = value
    }
    let halves = values.map { Float16($0) }.withUnsafeBytes { [UInt8]($0) }
    let data = try ParameterValues(bytes: halves, elementType: .float16, layout: .axes(order))
    try SafeTensors.write([(spec, data)], to: path)
    let written = try SafeTensors(path).data(named: "conv1.weight").floats()
    try SafeTensors.write([(spec, ParameterValues(Self.values(spec)))], to: path)
    #expect(try SafeTensors(path).data(named: "conv1.weight").floats() == written)
    // What was read in PyTorch's order keeps its sizes.
    let sizes = [4, 5 * 3 * 2]
    try SafeTensors.write(
      [(spec, ParameterValues(written, layout: .pytorch, sizes: sizes))], to: path)
    #expect(try SafeTensors(path).tensors.map(\.sizes) == [sizes])
    #expect(try SafeTensors(path).data(named: "conv1.weight").floats() == written)
  }

  @Test func unusualNames() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "net.safetensors"
    let names = ["ä \"q\" \\ \u{1} \u{1F}\n", "a/b", "__Dense_1__", "漢字"]
    let specs = names.map { ParameterSpec(layer: $0, .biases, [.outputs: 1]) }
    try SafeTensors.write(
      specs.enumerated().map { ($1, ParameterValues([Float($0)])) }, to: path)
    #expect(try SafeTensors(path).tensors.map(\.name) == names.map { $0 + ".bias" })
    let source = try SafeTensorsParameters(path).prepared(for: specs)
    for (number, spec) in specs.enumerated() {
      #expect(try source.floats(for: spec) == [Float(number)])
    }
    try SafeTensors.write([], to: path)
    #expect(try SafeTensors(path).tensors.isEmpty)
  }

  @Test func errors() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "net.safetensors"
    let old = try folder.write("net.safetensors", [1, 2, 3])
    let spec = ParameterSpec(layer: "a", .biases, [.outputs: 2])
    let two = ParameterValues([1, 2])
    func message(_ parameters: [Parameter], to path: String = path) -> String? {
      #expect(throws: LoadError.self) { try SafeTensors.write(parameters, to: path) }?.description
    }
    #expect(
      message([(spec, two), (spec, two)]) == """
        \(path): a.bias: two parameters have the same name
          remedy    give each layer a name of its own
        """)
    #expect(
      message([(spec.named(""), two)]) == """
        \(path): a safetensors file has no such name
          received  the biases of ""
          needs     a layer with a name
        """)
    #expect(
      message([(spec, ParameterValues([1]))]) == """
        the biases of "a" have the wrong number of values
          received  1 value
          needs     2 values, 2 [O]
        """)
    #expect(
      message([(spec, ParameterValues([1, 2], layout: .axes([.inputs])))]) == """
        memory: the biases of "a" have the wrong axes
          needs     2 [O]
        """)
    #expect(
      message([(spec, two)], to: folder.path) == """
        \(folder.path): this is not a regular file
          received  a folder
        """)
    #expect(
      message([(spec, two)], to: "/nowhere/a.safetensors") == """
        /nowhere/a.safetensors: the file cannot be written
          received  there is no such folder
        """)
    // A source that fails halfway leaves the old file and nothing else.
    struct Failing: ParameterData {
      struct Failure: Error {}
      let count = 2
      let origin = "nowhere"
      func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        throw Failure()
      }
    }
    #expect(throws: Failing.Failure.self) {
      try SafeTensors.write([(spec, two), (spec.named("b"), Failing())], to: path)
    }
    #expect(try Data(contentsOf: URL(filePath: old)) == Data([1, 2, 3]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["net.safetensors"])
  }
}
