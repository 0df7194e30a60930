import ForgeLayers
import ForgeShapes

/// The sizes of a model's inputs that each prediction chooses, and the models for them.
///
/// The tensors of a model with open sizes have the largest ones. A prediction with others is that
/// of a model of its own, which has the same inputs, outputs, states and parameters.
package struct OpenSizes: Sendable {
  /// The open axes of each input, in the order of the model's inputs.
  package let axes: [[OpenAxis]]
  /// The parameters that a file has for the largest sizes; `nil` if parameters do not depend on
  /// sizes.
  package let parameters: (any ParameterSource)?
  /// Returns the model for inputs of some shapes.
  package let model: @Sendable (_ shapes: [Shape]) throws -> Model

  /// Creates open sizes.
  package init(
    axes: [[OpenAxis]], parameters: (any ParameterSource)? = nil,
    model: @escaping @Sendable (_ shapes: [Shape]) throws -> Model
  ) {
    (self.axes, self.parameters, self.model) = (axes, parameters, model)
  }

  /// Every open size once, in the order of the inputs.
  package var sizes: [(name: String, sizes: SizeProgression)] {
    var seen: Set<String> = []
    return axes.joined().filter { seen.insert($0.name).inserted }.map { ($0.name, $0.sizes) }
  }

  /// The shapes of the inputs when every open size is the one that `choose` returns.
  package func shapes(
    _ inputs: [Shape], choosing choose: (SizeProgression) -> Int
  ) -> [Shape] {
    zip(inputs, axes).map { shape, axes in
      var sizes = shape.dimensions
      for axis in axes where sizes.indices.contains(axis.axis) {
        sizes[axis.axis] = choose(axis.sizes)
      }
      return Shape(sizes)
    }
  }
}

/// The open sizes of a model that a file describes for each combination of sizes.
struct ImportedSizes: Sendable {
  /// The open axes and the models of the file.
  let sizes: OpenSizes
  /// The inputs of the file's model for the largest sizes.
  let inputs: [Tensor]
  /// Its outputs.
  let outputs: [Tensor]
}

/// A model was changed inside, so it cannot follow the sizes of the file that it is from.
package struct ChangedInside: Error, CustomStringConvertible {
  /// The name of the tensor that the change uses.
  let name: String

  package var description: String {
    "the model uses \"\(name)\", a tensor inside a network from a file with open sizes; "
      + "only its outputs may be built on; import it with fixed sizes to change it"
  }
}

extension Model {
  /// The open sizes of the inputs; `nil` if all sizes are fixed or follow a length.
  package var openSizes: OpenSizes? {
    if let imported = importedSizes {
      let places = inputs.map { input in imported.inputs.firstIndex { $0 === input } }
      return OpenSizes(
        axes: places.map { $0.map { imported.sizes.axes[$0] } ?? [] },
        parameters: imported.sizes.parameters
      ) { shapes in
        for (index, axes) in imported.sizes.axes.enumerated()
        where !axes.isEmpty && !places.contains(index) {
          throw ChangedInside(name: imported.inputs[index].sourceText)
        }
        var all = imported.inputs.map { $0.shape ?? Shape([]) }
        for (place, shape) in zip(places, shapes) { if let place { all[place] = shape } }
        return try self.extending(imported.sizes.model(all), from: imported)
      }
    }
    let axes = inputs.map { input -> [OpenAxis] in
      if case .input(let description) = input.source { description.openAxes } else { [] }
    }
    guard axes.contains(where: { !$0.isEmpty }) else { return nil }
    return OpenSizes(axes: axes) { self.described(for: $0) }
  }

  /// Returns the model of a file that describes itself for each combination of sizes.
  ///
  /// - Parameter sizes: the open axes, and the model for each combination.
  /// - Returns: the same model with open sizes.
  package func withOpenSizes(_ sizes: OpenSizes) -> Model {
    var model = self
    model.importedSizes = ImportedSizes(sizes: sizes, inputs: inputs, outputs: outputs)
    return model
  }

  /// The same layers on inputs of other shapes.
  private func described(for shapes: [Shape]) -> Model {
    var positions: [ObjectIdentifier: Int] = [:]
    for (position, input) in inputs.enumerated() { positions[ObjectIdentifier(input)] = position }
    var made: [ObjectIdentifier: Tensor] = [:]
    // Every tensor is created again, so that names that depend on the order of creation stay.
    for tensor in Inference.reached(from: outputs + inputs).sorted(by: { $0.order < $1.order }) {
      let identity = ObjectIdentifier(tensor)
      if case .input(let description) = tensor.source, let position = positions[identity],
        shapes.indices.contains(position)
      {
        made[identity] = Tensor(.input(description.with(shapes[position])))
      } else {
        made[identity] = tensor.moved(
          to: tensor.inputs.map { made[ObjectIdentifier($0)] ?? $0 })
      }
    }
    let current = { (tensor: Tensor) in made[ObjectIdentifier(tensor)] ?? tensor }
    return with(inputs: inputs.map(current), outputs: outputs.map(current))
  }

  /// The layers that were added behind the outputs of a file's model, behind those of another model
  /// of the file.
  ///
  /// - Throws: ``ChangedInside`` when they use another tensor of the file.
  private func extending(_ other: Model, from imported: ImportedSizes) throws -> Model {
    var made: [ObjectIdentifier: Tensor] = [:]
    let (ends, starts) = (imported.outputs, imported.inputs)
    for (end, tensor) in zip(ends, other.outputs) { made[ObjectIdentifier(end)] = tensor }
    for (start, tensor) in zip(starts, other.inputs) { made[ObjectIdentifier(start)] = tensor }
    let inside = Set(Inference.reached(from: ends).map { ObjectIdentifier($0) })
    for tensor in Inference.reached(from: outputs).sorted(by: { $0.order < $1.order })
    where made[ObjectIdentifier(tensor)] == nil && !inside.contains(ObjectIdentifier(tensor)) {
      var operands: [Tensor] = []
      for input in tensor.inputs {
        guard let operand = made[ObjectIdentifier(input)] else {
          throw ChangedInside(name: input.givenName ?? input.sourceText)
        }
        operands.append(operand)
      }
      made[ObjectIdentifier(tensor)] = tensor.isInput ? tensor : tensor.moved(to: operands)
    }
    var results: [Tensor] = []
    for output in outputs {
      guard let tensor = made[ObjectIdentifier(output)] else {
        throw ChangedInside(name: output.givenName ?? output.sourceText)
      }
      results.append(tensor)
    }
    var model = with(
      inputs: inputs.map { made[ObjectIdentifier($0)] ?? $0 }, outputs: results)
    model.parameters = other.parameters
    model.limits = other.limits
    return model
  }
}

extension Inference {
  /// The shapes of the inputs, in which open sizes are unknown.
  package var openInputShapes: [Shape?] {
    guard let open = openSizes else { return inputs.map { nodes[$0].shape } }
    return zip(inputs, open.axes).map { input, axes in
      var sizes = nodes[input].shape?.dimensions
      for axis in axes where sizes?.indices.contains(axis.axis) == true { sizes?[axis.axis] = nil }
      return sizes.map { Shape($0) }
    }
  }

  /// The shapes of the outputs, in which sizes are unknown that follow open sizes.
  ///
  /// They are found by a second model, for the sizes in the middle.
  ///
  /// - Throws: ``ChangedInside`` when the model cannot follow sizes at all.
  package func openOutputShapes() throws(ChangedInside) -> [Shape?] {
    let shapes = outputs.map { nodes[$0].shape }
    guard let open = openSizes else { return shapes }
    let middle = open.shapes(inputs.compactMap { nodes[$0].shape }, choosing: \.middle)
    let others: [Shape?]
    do {
      let inference = Inference(try open.model(middle))
      others = inference.outputs.map { inference.nodes[$0].shape }
    } catch let error as ChangedInside {
      throw error
    } catch {
      others = []
    }
    return shapes.enumerated().map { index, shape in
      // A model that does not take these sizes leaves every size of its outputs open.
      let other = others.indices.contains(index) ? others[index] : nil
      guard let shape, let other, other.rank == shape.rank else {
        return shape.map { Shape($0.dimensions.map { _ in nil }) }
      }
      return Shape(zip(shape.dimensions, other.dimensions).map { $0 == $1 ? $0 : nil })
    }
  }
}
