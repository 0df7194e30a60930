import ForgeLoaders
import ForgeShapes
import ForgeTestSupport
import Foundation
import Testing

@Suite struct ParameterDirectoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func findsParametersByNameAndType() throws {
    try folder.write("conv_W.bin", [1, 2])
    try folder.write("conv_b.bin", [3])
    try folder.write("bn_gamma.bin", [4])
    let source = try ParameterDirectory(folder.path)
    #expect(source.goesByName)
    let weights = try #require(try source.parameter(for: Specs.convolution("conv", 1, 1, 1, 2)))
    #expect(try weights.storedFloats() == [1, 2])
    let biases = try #require(try source.parameter(for: Specs.biases("conv", 1)))
    #expect(try biases.storedFloats() == [3])
    let gamma = try #require(try source.parameter(for: Specs.perChannel("bn", [.gamma], 1)[0]))
    #expect(try gamma.storedFloats() == [4])
    #expect(try source.parameter(for: Specs.perChannel("bn", [.beta], 1)[0]) == nil)
    #expect(try source.parameter(for: Specs.biases("other", 1)) == nil)
  }

  @Test func listsTheNames() throws {
    for name in ["conv1_W", "conv1_b", "bn_gamma", "bn_variance", "a_b_b", "_W", "readme"] {
      try folder.write(name + ".bin", [1])
    }
    try folder.write("notes.txt", [1])
    #expect(try ParameterDirectory(folder.path).availableNames == ["a_b", "bn", "conv1"])
  }

  @Test func acceptsOtherSuffixesAndExtensions() throws {
    try folder.write("net.conv.w", [1])
    try folder.write("net.conv_b.w", [2])
    let source = try ParameterDirectory(
      folder.path, prefix: "net.", suffixes: [.weights: ""], ext: "w", layout: .pytorch)
    let weights = try #require(try source.parameter(for: Specs.convolution("conv", 1, 1, 1, 1)))
    #expect(weights.layout == .pytorch)
    #expect(try weights.storedFloats() == [1])
    #expect(source.availableNames == ["conv"])
  }

  @Test func acceptsCustomNamingRule() throws {
    try folder.write("conv.weights", [1])
    let source = try ParameterDirectory(folder.path) { layer, type in "\(layer).\(type)" }
    let weights = try source.parameter(for: Specs.convolution("conv", 1, 1, 1, 1))
    #expect(try #require(weights).storedFloats() == [1])
    #expect(try source.parameter(for: Specs.biases("conv", 1)) == nil)
    #expect(source.availableNames == ["conv.weights"])
  }

  @Test func sizeMismatchNamesParameter() throws {
    try folder.write("conv_W.bin", [1, 2])
    let source = try ParameterDirectory(folder.path)
    let error = try loadError {
      _ = try source.parameter(for: Specs.convolution("conv", 1, 1, 1, 3))
    }
    #expect(error.kind == .wrongSize)
    #expect(error.layer == "conv")
    #expect(error.type == .weights)
  }

  @Test func rejectsPathTraversal() throws {
    let source = try ParameterDirectory(folder.path)
    let error = try loadError { _ = try source.parameter(for: Specs.biases("../x", 1)) }
    #expect(error.kind == .badName)
    #expect(try source.parameter(for: Specs.biases("", 1)) == nil)
  }

  @Test func requiresFolder() throws {
    let missing = try loadError { _ = try ParameterDirectory("/no/such") }
    #expect(missing.description == "/no/such: there is no such folder")
    let path = try folder.write("file", [1])
    let file = try loadError { _ = try ParameterDirectory(path) }
    #expect(
      file.description == """
        \(path): this is not a folder
          received  a file
        """)
  }

  @Test(.shared("data/mobilenet/parameters025"))
  func readsFoldedMobileNet() throws {
    let path = SharedFiles.data.appendingPathComponent("mobilenet/parameters025").path
    let source = try ParameterDirectory(path, suffixes: [.weights: "_w"])
    #expect(source.availableNames.count == 28)
    #expect(source.availableNames.first == "conv1")
    let kernel = try source.parameter(for: Specs.convolution("conv1", 8, 3, 3, 3))
    #expect(try #require(kernel).storedFloats().contains { $0 != 0 })
    let depthwise = try source.parameter(for: Specs.depthwise("conv2_1_dw", 8, 1, 3, 3))
    #expect(try #require(depthwise).count == 72)
  }
}
