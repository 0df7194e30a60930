import Forge

extension ONNXOperators {
  /// Applies an image layer to an image [1, C, H, W], or to each of a batch [N, C, H, W].
  ///
  /// - Parameters:
  ///   - call: the node; its first input is the image and its first output is set.
  ///   - layer: makes the layer from its name.
  /// - Throws: ``NodeFailure``.
  static func perImage(
    _ call: inout ONNXCall, _ layer: (String?) -> some Layer
  ) throws {
    let input = try call.network(0)
    guard input.rank == 4 else {
      throw NodeFailure.unsupported("a tensor of rank \(input.rank)")
    }
    call.set(try images(call, input, layer))
  }

  /// The results of an image layer for each image of a batch.
  static func images(
    _ call: ONNXCall, _ input: FileTensor, _ layer: (String?) -> some Layer
  ) throws -> FileTensor {
    try examples(call, input, layout: [2, 3, 1], layer)
  }

  /// Applies a layer to the tensor of each example of a batch, all with the same parameters.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - input: the tensor, whose axis 0 is the batch.
  ///   - layout: the axes of one example as the layer takes them; those of the result are the same.
  ///   - layer: makes the layer from its name.
  /// - Returns: the results, with the batch as axis 0.
  /// - Throws: ``NodeFailure``.
  static func examples(
    _ call: ONNXCall, _ input: FileTensor, layout: [Int?], _ layer: (String?) -> some Layer
  ) throws -> FileTensor {
    let count = input.sizes[0]
    guard count > 1 else {
      let result = try call.apply(layer(call.layerName), to: input.tensor(as: layout))
      return FileTensor(result, layout: layout, rank: input.rank, type: input.type)
    }
    if call.isOutline {
      let one = Input(shape: layout.map { $0.map { input.sizes[$0] } ?? 1 })
      let result = try call.apply(layer(call.layerName), to: one)
      let shape = (result.shape?.dimensions ?? []).compactMap { $0 }
      return FileTensor(
        Input(shape: [count] + shape), layout: [0] + layout, rank: input.rank, type: input.type)
    }
    guard count <= 1 << 10 else { throw NodeFailure.unsupported("a batch of \(count)") }
    let batch = input.tensor(as: [0] + layout)
    let shared = layer(call.layerName + "/each")
    let results = try (0..<count).map { index -> Tensor in
      let one = try call.apply(
        Slice(starts: [index], ends: [index + 1], axes: [0]), to: batch)
      let sizes = layout.map { $0.map { input.sizes[$0] } ?? 1 }
      let result = try call.apply(shared, to: try call.apply(Reshape(to: sizes), to: one))
      let shape = (result.shape?.dimensions ?? []).compactMap { $0 }
      return try call.apply(Reshape(to: [1] + shape), to: result)
    }
    let joined = try call.apply(Concatenate(axis: 0), to: results)
    return FileTensor(joined, layout: [0] + layout, rank: input.rank, type: input.type)
  }

  /// The name of a layer whose parameters are stated for one image or each of a batch.
  static func sharedName(_ call: ONNXCall, _ input: FileTensor) -> String {
    input.sizes[0] > 1 ? call.layerName + "/each" : call.layerName
  }
}

/// The window attributes of ONNX's convolutions and poolings, in any number of dimensions.
struct ONNXWindow {
  let kernel: [Int]
  let strides: [Int]
  let dilations: [Int]
  let before: [Int]
  let after: [Int]

  /// Reads the attributes of a node.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - kernel: the sizes of the kernel.
  ///   - sizes: the sizes of the image.
  /// - Throws: ``NodeFailure``.
  init(_ node: FileNode, kernel: [Int], sizes: [Int]) throws {
    let rank = kernel.count
    func list(_ name: String) throws -> [Int] {
      let values = node.ints(name) ?? Array(repeating: 1, count: rank)
      guard values.count == rank, values.allSatisfy({ (1...(1 << 20)).contains($0) }) else {
        throw NodeFailure.invalid("\(name) \(values) of \(rank) dimensions")
      }
      return values
    }
    guard kernel.allSatisfy({ (1...(1 << 20)).contains($0) }), sizes.count == rank else {
      throw NodeFailure.invalid("a kernel of \(kernel) on an image of \(sizes)")
    }
    self.kernel = kernel
    strides = try list("strides")
    dilations = try list("dilations")
    let automatic = node.string("auto_pad", "NOTSET")
    switch automatic {
    case "NOTSET", "":
      let pads = node.ints("pads") ?? Array(repeating: 0, count: 2 * rank)
      guard pads.count == 2 * rank, pads.allSatisfy({ (0...(1 << 20)).contains($0) }) else {
        throw NodeFailure.unsupported("pads \(pads)")
      }
      (before, after) = (Array(pads[..<rank]), Array(pads[rank...]))
    case "VALID":
      before = Array(repeating: 0, count: rank)
      after = before
    case "SAME_UPPER", "SAME_LOWER":
      var (low, high): ([Int], [Int]) = ([], [])
      for axis in 0..<rank {
        let output = (sizes[axis] + strides[axis] - 1) / strides[axis]
        let extent = (kernel[axis] - 1) * dilations[axis] + 1
        let total = max((output - 1) * strides[axis] + extent - sizes[axis], 0)
        let (small, large) = (total / 2, total - total / 2)
        low.append(automatic == "SAME_UPPER" ? small : large)
        high.append(automatic == "SAME_UPPER" ? large : small)
      }
      (before, after) = (low, high)
    default: throw NodeFailure.unsupported("auto_pad \"\(automatic)\"")
    }
  }

  /// The padding of an image.
  var padding: Padding {
    before + after == Array(repeating: 0, count: 4)
      ? .valid
      : .explicit(top: before[0], left: before[1], bottom: after[0], right: after[1])
  }
  /// The kernel of an image.
  var kernel2D: (width: Int, height: Int) { (kernel[1], kernel[0]) }
  /// The stride on an image.
  var stride2D: (x: Int, y: Int) { (strides[1], strides[0]) }
  /// The dilation on an image.
  var dilation2D: (x: Int, y: Int) { (dilations[1], dilations[0]) }

  /// The same window with an axis of size 1 in front: a sequence as an image of height 1.
  func asImage() -> ONNXWindow {
    ONNXWindow(
      kernel: [1] + kernel, strides: [1] + strides, dilations: [1] + dilations,
      before: [0] + before, after: [0] + after)
  }

  private init(
    kernel: [Int], strides: [Int], dilations: [Int], before: [Int], after: [Int]
  ) {
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
  }
}
