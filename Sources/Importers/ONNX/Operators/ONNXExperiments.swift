import Forge

extension ONNXOperators {
  /// Operators that ONNX has removed, in files of its first years.
  static let experiments: [ONNXOperator] = [
    .perExample("ImageScaler", import: scaleImage, length: .followed),
    .function("Affine", import: affine),
    // A stated size is cut from the border of one size.
    .perExample("Crop", import: crop, length: .refused),
  ]

  /// A factor for all pixels and a bias for each channel.
  private static func scaleImage(_ call: inout ONNXCall) throws {
    let scale = call.node.float("scale", 1)
    let bias = call.node.floats("bias") ?? [0]
    try perImage(&call) { Scale(by: [scale], bias: bias, name: $0) }
  }

  /// `alpha·x + beta`.
  private static func affine(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let layer = Scale(
      call.node.float("alpha", 1), bias: call.node.float("beta"), name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input)
  }

  /// Cuts off borders of images.
  private static func crop(_ call: inout ONNXCall) throws {
    guard let border = call.node.ints("border"), border.count == 4,
      border.allSatisfy({ (0...(1 << 30)).contains($0) })
    else { throw NodeFailure.invalid("a border of \(call.node.ints("border") ?? [])") }
    var (right, bottom) = (border[2], border[3])
    if let sizes = call.node.ints("scale"), sizes.count == 2,
      sizes.allSatisfy({ (0...(1 << 30)).contains($0) })
    {
      // The size of the result replaces the lower and right border.
      let input = try call.network(0)
      guard input.rank == 4 else { throw NodeFailure.invalid("a tensor of rank \(input.rank)") }
      bottom = input.sizes[2] - border[1] - sizes[0]
      right = input.sizes[3] - border[0] - sizes[1]
    }
    let edges = (right, bottom)
    try perImage(&call) {
      Crop(
        top: border[1], left: border[0], bottom: edges.1, right: edges.0, name: $0)
    }
  }
}
