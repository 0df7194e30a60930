import ForgeOperations
import ForgeShapes

/// The weights whose outputs a reshape makes into an image.
///
/// Forge reads a vector that becomes an image as height, width, channels. Frameworks with channels
/// first read it as channels, height, width, so the outputs of such weights have another order
/// in their files. A permutation that puts the channels last, after a reshape to the order of the
/// framework, makes both orders the same.
struct UnflattenedImages {
  /// Where the values of a tensor come from.
  private struct Values {
    /// The weights that a vector is made of, by the index of the parameter.
    var weights: Set<Int> = []
    /// The image that the vector has become.
    var image: Shape?
  }

  /// The image that the outputs of weights become, by the index of the parameter.
  private(set) var images: [Int: Shape] = [:]
  /// The tensors, by index, whose values are in an order that all frameworks read alike.
  private(set) var restored: Set<Int> = []

  /// Follows the outputs of weights through a graph of known or unknown sizes.
  init(_ graph: OperationGraph) {
    var values = [Values](repeating: Values(), count: graph.shapes.count)
    for node in graph.nodes {
      let inputs = node.inputs.filter { graph.constant($0) == nil }
      let all = inputs.map { values[$0.index] }
      let weights = all.reduce(into: Set<Int>()) { $0.formUnion($1.weights) }
      let output = graph.shape(of: node.output)
      guard let image = all.lazy.compactMap(\.image).first else {
        let isFromVector = inputs.allSatisfy { graph.shape(of: $0).isVector }
        let own = node.inputs.dropFirst().first.flatMap { graph.constant($0) }
        values[node.output.index] = Self.values(
          of: node.primitive, own, weights, isFromVector: isFromVector, output: output)
        continue
      }
      let traits = node.primitive.traits
      if case .permute([1, 2, 0]) = node.primitive {
        restored.insert(node.output.index)
      } else if traits.keepsElements, output.isVector {
        restored.insert(node.output.index)
        values[node.output.index] = Values(weights: weights)
      } else if traits.keepsElements ? output == image : node.primitive.isActivation {
        values[node.output.index] = Values(weights: weights, image: image)
      } else {
        for index in weights { images[index] = image }
      }
    }
    for output in graph.outputs {
      guard let image = values[output.index].image else { continue }
      for index in values[output.index].weights { images[index] = image }
    }
  }

  /// The values of an operation on tensors that have not become images.
  private static func values(
    of primitive: Primitive, _ own: ConstantRecipe?, _ weights: Set<Int>,
    isFromVector: Bool, output: Shape
  ) -> Values {
    let traits = primitive.traits
    if traits.packsOperands, !traits.treatsChannelsAlike {
      guard output.isVector, case .parameter(let index) = own else { return Values() }
      return Values(weights: [index])
    }
    if output.isVector {
      if case .concatenate = primitive { return Values(weights: weights) }
      let keeps = traits.keepsElements || traits.treatsChannelsAlike
      return Values(weights: keeps ? weights : [])
    }
    guard traits.keepsElements, isFromVector, !weights.isEmpty,
      FlattenedImages.Image(output)?.hasOrder ?? false
    else { return Values() }
    return Values(weights: weights, image: output)
  }
}

extension Shape {
  /// Whether at most one axis has more than one value.
  var isVector: Bool { dimensions.count { $0 != 1 } <= 1 }
}

extension Primitive {
  /// Whether it is a function of each element.
  fileprivate var isActivation: Bool {
    if case .activation = self { true } else { false }
  }
}
