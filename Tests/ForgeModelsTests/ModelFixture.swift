import ForgeTestSupport
import Foundation

/// What Keras says and computes about one network; make_model_references.py writes and explains it.
struct ModelFixture: Decodable {
  /// The network as in its paper.
  let full: Description
  /// A small version and what it computes.
  let small: Computation

  /// A network as Keras describes it.
  struct Description: Decodable {
    let parameters: Int
    let multiplyAdds: Int
    /// Output sizes by layer, in memory order without the batch.
    let layers: [String: [Int]]
    let widths: [Width]
    let arguments: Network.Arguments

    private enum CodingKeys: String, CodingKey {
      case parameters, layers, widths
      case multiplyAdds = "multiply_adds"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      parameters = try container.decode(Int.self, forKey: .parameters)
      multiplyAdds = try container.decode(Int.self, forKey: .multiplyAdds)
      widths = try container.decode([Width].self, forKey: .widths)
      layers = try container.decode([String: [Int]].self, forKey: .layers)
      arguments = try Network.Arguments(from: decoder)
    }
  }

  /// The number of parameters with another width multiplier.
  struct Width: Decodable {
    let alpha: Double
    let parameters: Int

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      alpha = try container.decode(Double.self)
      parameters = try container.decode(Int.self)
    }
  }

  /// What a network computes for the input and parameters of ``SeededParameters``.
  struct Computation: Decodable {
    let parameters: Int
    let gain: Double
    let samples: [Sample]
    /// The values of a layer of features, and `output`.
    let outputs: [String: FixtureTensor]
    let arguments: Network.Arguments

    private enum CodingKeys: String, CodingKey {
      case parameters, gain, samples, outputs
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      parameters = try container.decode(Int.self, forKey: .parameters)
      gain = try container.decode(Double.self, forKey: .gain)
      samples = try container.decode([Sample].self, forKey: .samples)
      outputs = try container.decode([String: FixtureTensor].self, forKey: .outputs)
      arguments = try Network.Arguments(from: decoder)
    }
  }

  /// One value of a parameter, on which both programs must agree.
  struct Sample: Decodable {
    let layer: String
    let type: String
    let index: Int
    let value: Float

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      layer = try container.decode(String.self)
      type = try container.decode(String.self)
      index = try container.decode(Int.self)
      value = try container.decode(Float.self)
    }
  }

  /// Reads the committed fixture of a network.
  static func load(_ network: Network) throws -> ModelFixture {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    return try decode(ModelFixture.self, folder.appending(path: "\(network.name).safetensors"))
  }

  /// The folder of references of full size, where there is one.
  static var fullSizeFolder: String? {
    ProcessInfo.processInfo.environment["FORGE_MODEL_REFERENCES"]
  }

  /// Reads what a network of full size computes.
  static func fullSize(_ network: Network, folder: String) throws -> Computation {
    try decode(
      Computation.self, URL(filePath: folder).appending(path: "\(network.name).safetensors"))
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ file: URL) throws -> Value {
    try FixtureFile.decode(type, from: file)
  }
}
