import ForgeLayers
import ForgeShapes

/// A step that builds on tensors itself: a model, a function, or layers grouped in a type.
///
/// ```swift
/// struct Separable: GraphStep {
///   let channels: Int
///   func outputs(for inputs: [Tensor]) -> [Tensor] {
///     inputs.map {
///       $0 --> DepthwiseConvolution(kernel: 3) --> PointwiseConvolution(channels: channels)
///     }
///   }
/// }
/// ```
public protocol GraphStep: Step {
  /// Returns the output tensors of the step for some inputs.
  ///
  /// The step must not assume a number of inputs: it receives whatever is to the left of `-->`.
  ///
  /// - Parameter inputs: the tensors on the left of `-->`.
  /// - Returns: the outputs in order.
  func outputs(for inputs: [Tensor]) -> [Tensor]
}

extension Block {
  /// Returns the output tensors of the block for one or several inputs.
  ///
  /// - Parameter inputs: the tensors that the first step takes.
  /// - Returns: the outputs of the last step in order.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    Tensor.results(of: self, for: inputs)
  }
}

extension Tensor {
  /// Returns the only output of a step; several outputs are a mistake.
  package static func applying(_ step: any Step, to tensors: [Tensor]) -> Tensor {
    let results = results(of: step, for: tensors)
    if results.count == 1, let tensor = results.first { return tensor }
    // A block without layers returns what it was given.
    let isUnchanged = results.elementsEqual(tensors) { $0 === $1 }
    if step is Block, isUnchanged {
      return Tensor(.foreign("Block", .notALayer("a Block of no layers")), inputs: tensors)
    }
    let name = "\(type(of: step))"
    var error = ShapeError.notOneOutput(results.count)
    error.place = (step as? Model)?.place
    return Tensor(.foreign(name, error), inputs: results.isEmpty ? tensors : results)
  }

  /// Returns the outputs of a step; a layer takes all tensors and makes one.
  static func results(of step: any Step, for tensors: [Tensor]) -> [Tensor] {
    var tensors = tensors
    // Nested blocks of any depth are walked without recursion.
    var pending: [any Step] = [step]
    while let next = pending.popLast() {
      switch next {
      case let layer as any Layer:
        tensors = [Tensor(.layer(layer), inputs: tensors)]
      case let block as Block:
        pending.append(contentsOf: block.steps.reversed())
      case let step as any GraphStep:
        tensors = step.outputs(for: tensors)
      default:
        let name = "\(type(of: next))"
        tensors = [Tensor(.foreign(name, .notALayer(name)), inputs: tensors)]
      }
    }
    return tensors
  }
}
