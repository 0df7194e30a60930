import Forge
import ForgeGraph
import ForgeModels
import Testing

@Suite("Architectures match Keras")
struct ArchitectureTests {
  @Test("Parameter counts match Keras", arguments: Network.all)
  func parameterCount(_ network: Network) throws {
    let fixture = try ModelFixture.load(network)
    #expect(network.model(fixture.full.arguments).parameterCount == fixture.full.parameters)
    #expect(network.model(fixture.small.arguments).parameterCount == fixture.small.parameters)
  }

  @Test("Every Keras layer is present with its output shape", arguments: Network.all)
  func shapes(_ network: Network) throws {
    let expected = try ModelFixture.load(network).full
    let inference = try network.model(expected.arguments).inferred()
    var shapes: [String: [Int]] = [:]
    for node in inference.nodes where !node.isInput {
      shapes[node.name] = try #require(node.shape?.sizes)
    }
    for (layer, sizes) in expected.layers {
      // LeNet's poolings and softmax have no names, and its dense layer flattens by itself.
      if network.name == "lenet", !["conv1", "conv2", "fc1", "fc2"].contains(layer) { continue }
      let found = try #require(shapes[layer], "no layer \"\(layer)\"")
      // A vector is an image of one pixel in Forge.
      let image = sizes.count == 1 ? [1, 1] + sizes : sizes
      #expect(found == image, "layer \"\(layer)\"")
    }
    if network.name != "lenet" {
      // Keras has most softmaxes inside the last dense layer.
      let own = Set(shapes.keys).subtracting(expected.layers.keys)
      #expect(own.isSubset(of: ["probabilities"]), "layers that Keras has not")
    }
  }

  @Test("Multiply-adds match Keras and approximate published counts", arguments: Network.all)
  func multiplyAdds(_ network: Network) throws {
    let expected = try ModelFixture.load(network).full
    let model = network.model(expected.arguments)
    let products = try model.inferred().nodes.filter { $0.layer is any WeightedLayer }
    #expect(products.reduce(0) { $0 + $1.multiplyAdds } == expected.multiplyAdds)
    let published = network.publishedMillions * 1e6
    #expect(abs(Double(model.multiplyAdds) - published) < 0.025 * published)
  }

  @Test("The summary has one row per layer", arguments: Network.all)
  func summary(_ network: Network) throws {
    let arguments = try ModelFixture.load(network).full.arguments
    let model = network.model(arguments)
    let nodes = try model.inferred().nodes.filter { !$0.isInput }
    let lines = model.summary().split(separator: "\n")
    for node in nodes {
      let row = lines.first { $0.hasPrefix("\(node.name) ") }
      #expect(row?.hasSuffix(" \(node.parameterCount)") == true, "no row for \(node.name)")
    }
    #expect(lines.first?.hasPrefix("Layer") == true || lines[1].hasPrefix("Layer"))
    #expect(model.summary(.detailed).contains("Multiply-adds"))
  }

  @Test("Width multipliers give the channel counts of Keras", arguments: Network.all)
  func widthMultipliers(_ network: Network) throws {
    let full = try ModelFixture.load(network).full
    for width in full.widths {
      let model = network.model(full.arguments.with(alpha: width.alpha))
      #expect(model.parameterCount == width.parameters, "alpha \(width.alpha)")
    }
  }
}
