import ForgeLoaders
import ForgeShapes
import ForgeTestSupport
import Foundation
import Testing

private let sharedFiles: [(name: String, entries: Int, layers: Int)] = [
  ("h5/mnistCNN.h5", 41, 5),
  ("h5/mlperf_tiny_resnet8_cifar10.h5", 117, 17),
  ("mobilenet/mobilenet_2_5_224_tf_no_top.h5", 135, 54),
  ("mobilenet/mobilenet_v1_0.25_224_keras3_full.h5", 137, 55),
]

/// Real files of Keras 2 and 3 outside the repository; skipped where they are missing.
@Suite(.shared("data/h5", "data/mobilenet"))
struct SharedFilesTests {
  private func open(_ name: String) throws -> HDF5File {
    try HDF5File(SharedFiles.data.appendingPathComponent(name).path)
  }

  @Test(arguments: sharedFiles)
  func everyParameterIsListedAndRead(name: String, entries: Int, layers: Int) throws {
    let file = try open(name)
    #expect(file.entries.count == entries)
    var values = 0
    for entry in file.entries {
      #expect(entry.problem == nil, "\(entry)")
      let floats = try file.data(at: entry.name).storedFloats()
      #expect(floats.allSatisfy { $0.isFinite })
      values += floats.count
    }
    #expect(values > 90_000)
    let source = try HDF5Parameters(file)
    #expect(source.availableNames.count == layers)
    #expect(Set(source.availableNames).count == layers)
  }

  @Test func readsDigitNetworkByNameAndInOrder() throws {
    let file = try open("h5/mnistCNN.h5")
    func specs(_ names: [String]) -> [ParameterSpec] {
      [
        Specs.convolution(names[0], 32, 5, 5, 1), Specs.biases(names[0], 32),
        Specs.convolution(names[1], 64, 3, 3, 32), Specs.biases(names[1], 64),
        Specs.convolution(names[2], 128, 1, 1, 64), Specs.biases(names[2], 128),
        Specs.convolution(names[3], 128, 2, 2, 128), Specs.biases(names[3], 128),
        Specs.convolution(names[4], 10, 1, 1, 128), Specs.biases(names[4], 10),
      ]
    }
    let named = specs(["conv2d_1", "conv2d_2", "conv2d_3", "dense_1", "dense_2"])
    let numbered = specs(["a", "b", "c", "d", "e"])
    let byName = try HDF5Parameters(file).prepared(for: named)
    let inOrder = try HDF5Parameters(file, matching: .inOrder).prepared(for: numbered)
    var count = 0
    for (spec, other) in zip(named, numbered) {
      let values = try #require(try byName.parameter(for: spec)).storedFloats()
      #expect(try #require(try inOrder.parameter(for: other)).storedFloats() == values)
      count += values.count
    }
    #expect(count == 94_602)
  }

  /// The file of Keras 2 and that of Keras 3 hold the same network, bit for bit.
  @Test func bothMobileNetsAreEqual() throws {
    let old = try open("mobilenet/mobilenet_2_5_224_tf_no_top.h5")
    let new = try open("mobilenet/mobilenet_v1_0.25_224_keras3_full.h5")
    let specs =
      [Specs.convolution("conv1", 8, 3, 3, 3), Specs.depthwise("conv_dw_1", 8, 1, 3, 3)]
      + Specs.perChannel("conv_pw_13_bn", [.gamma, .beta, .mean, .variance], 256)
      + [Specs.convolution("conv_pw_13", 256, 1, 1, 256)]
    let first = try HDF5Parameters(old).prepared(for: specs)
    let second = try HDF5Parameters(new).prepared(for: specs)
    for spec in specs {
      let values = try #require(try first.parameter(for: spec)).storedFloats()
      #expect(try #require(try second.parameter(for: spec)).storedFloats() == values)
      #expect(values.contains { $0 != 0 })
    }
  }
}
