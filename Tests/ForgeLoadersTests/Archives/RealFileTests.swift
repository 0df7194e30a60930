import ForgeLoaders
import ForgeShapes
import ForgeTestSupport
import Foundation
import Testing

/// Files written by other programs, where available.
@Suite(.shared("data/npz", "data/safetensors", "data/mobilenet", "data/h5"))
struct RealFileTests {
  private let folder = SharedFiles.data.path + "/"

  #if Zip
    @Test func readsForeignArchives() throws {
      let file = try WeightFile(folder + "npz/candle_test.npz")
      #expect(file.entries.allSatisfy { $0.problem == nil && $0.elementType == .int64 })
      let array = try NumPyArray(path: folder + "npz/candle_test.npy")
      #expect(try array.values == (0..<array.count).map { Float($0) })
      let tract = try WeightFile(folder + "npz/tract_keras_example_io.npz")
      for entry in tract.entries {
        let name = String(entry.name.dropLast(4))
        let values = try NumPyArray(path: tract.path, entry: name).values
        #expect(!values.isEmpty && values.allSatisfy(\.isFinite))
      }
    }
  #endif

  @Test func readsPyTorchNamesAndLayout() throws {
    let source = try SafeTensorsParameters(folder + "safetensors/burn_mnist.safetensors")
    #expect(Set(source.availableNames).isSuperset(of: ["conv1", "conv2", "fc1", "norm1"]))
    let specs = [
      ParameterSpec(layer: "conv2", .weights, [.outputs: 16, .height: 3, .width: 3, .inputs: 8]),
      ParameterSpec(layer: "conv2", .biases, [.outputs: 16]),
      ParameterSpec(layer: "fc1", .weights, [.outputs: 32, .height: 22, .width: 22, .inputs: 24]),
      ParameterSpec(layer: "fc1", .biases, [.outputs: 32]),
      ParameterSpec(layer: "norm1", .gamma, [.channels: 24]),
      ParameterSpec(layer: "norm1", .beta, [.channels: 24]),
      ParameterSpec(layer: "norm1", .mean, [.channels: 24]),
      ParameterSpec(layer: "norm1", .variance, [.channels: 24]),
    ]
    let prepared = source.prepared(for: specs)
    for spec in specs {
      #expect(try prepared.floats(for: spec).allSatisfy(\.isFinite))
    }
    #expect(try prepared.floats(for: specs[7]).allSatisfy { $0 > 0 })
  }

  /// Alpha 1, half precision, in Forge's own layout; the first layer against alpha 0.25's form.
  @Test func readsMobileNet() throws {
    let path = folder + "mobilenet/mobilenet_v1_1.0_224_dequant_f16.safetensors"
    let source = try SafeTensorsParameters(path, layout: .forge)
    #expect(source.availableNames.count == 28)
    let specs = [
      ParameterSpec(layer: "conv1", .weights, [.outputs: 32, .height: 3, .width: 3, .inputs: 3]),
      ParameterSpec(layer: "conv1", .biases, [.outputs: 32]),
      ParameterSpec(
        layer: "conv2_1_dw", .weights, [.channels: 32, .multiplier: 1, .height: 3, .width: 3]),
      ParameterSpec(layer: "conv2_1_dw", .biases, [.channels: 32]),
    ]
    let prepared = source.prepared(for: specs)
    for spec in specs { #expect(try prepared.floats(for: spec).allSatisfy(\.isFinite)) }
    let file = try WeightFile(path)
    #expect(file.entries.count == 56)
    #expect(file.entries.first?.description == "conv1.weight  32×3×3×3  f16  1728 bytes")
  }

  @Test func readsRawFileFolder() throws {
    let file = try WeightFile(folder + "mobilenet/parameters025")
    #expect(file.entries.count == 56)
    #expect(file.entries.allSatisfy { $0.typeName == "raw" && $0.byteCount > 0 })
    let spec = ParameterSpec(
      layer: "conv1", .weights, [.outputs: 8, .height: 3, .width: 3, .inputs: 3])
    #expect(try file.parameters().floats(for: spec).count == 216)
  }

  @Test func listsHDF5() throws {
    let file = try WeightFile(folder + "h5/mnistCNN.h5")
    #expect(file.format == .hdf5)
    #expect(file.entries.contains { $0.elementType == .float32 })
  }
}
