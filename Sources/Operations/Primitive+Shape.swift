import ForgeShapes

extension Primitive {
  /// The shape of the output for the shapes of the inputs.
  ///
  /// - Throws: `ShapeError` naming the rule that is broken.
  public func outputShape(for inputs: [Shape]) throws(ShapeError) -> Shape {
    guard let input = inputs.first else {
      throw ShapeError(.wrongInputCount, "an operation needs an input")
    }
    switch self {
    case .convolution(let geometry, let outputs, _):
      return try geometry.outputShape(for: input, channels: outputs)
    case .depthwiseConvolution(let geometry, let multiplier):
      let channels = try ArgumentRule.channels(of: input)
      return try geometry.outputShape(for: input, channels: channels * multiplier)
    case .dense(let outputs):
      _ = try RearrangementRule.flatten(input)
      return try SizeRule.bounded(.vector(outputs))
    case .pooling(_, let geometry):
      let channels = try ArgumentRule.channels(of: input)
      return try geometry.outputShape(
        for: input, channels: channels, tooLarge: .kernelLargerThanInput)
    case .globalPooling:
      return .vector(try ArgumentRule.channels(of: input))
    case .activation, .softmax, .affine, .batchNormalization, .identity:
      return input
    case .binary(let op):
      guard inputs.count == 2 else {
        throw ShapeError(.wrongInputCount, "\(op.rawValue) needs two inputs")
      }
      return try CombinationRule.broadcast(inputs)
    case .pad(let edges):
      return try RearrangementRule.pad(input, by: edges)
    case .crop(let edges):
      return try RearrangementRule.crop(input, by: edges)
    case .concatenate(let axis):
      return try CombinationRule.concatenate(inputs, axis: axis)
    case .reshape(let sizes):
      return try RearrangementRule.reshape(input, to: sizes)
    case .permute(let order):
      return try RearrangementRule.permute(input, order: order)
    case .gatherChannels(let order):
      try ArgumentRule.image(input)
      return Shape(width: input.width, height: input.height, channels: order.count)
    case .resize(.size(let size, _), _):
      return try RearrangementRule.resize(input, to: size)
    case .resize(.factor(let factor), _):
      return try RearrangementRule.upSample(input, by: factor)
    case .custom(let operation):
      let shape: Shape
      do { shape = try operation.shapeRule(inputs) } catch {
        throw ShapeError(
          .customRule, "the shape rule of the custom layer failed", received: "\(error)")
      }
      return try SizeRule.bounded(shape)
    }
  }

  /// A short name for messages and reports.
  package var name: String {
    switch self {
    case .convolution: "convolution"
    case .depthwiseConvolution: "depthwiseConvolution"
    case .dense: "dense"
    case .pooling: "pooling"
    case .globalPooling: "globalPooling"
    case .activation(let function): function.description
    case .softmax(let logarithm): logarithm ? "logSoftmax" : "softmax"
    case .binary(let op): op.rawValue
    case .affine: "affine"
    case .batchNormalization: "batchNormalization"
    case .pad: "pad"
    case .crop: "crop"
    case .concatenate: "concatenate"
    case .reshape: "reshape"
    case .permute: "permute"
    case .gatherChannels: "gatherChannels"
    case .resize: "resize"
    case .identity: "identity"
    case .custom: "custom"
    }
  }
}
