import Forge

extension ONNXOperators {
  /// Convolutions and transposed convolutions on sequences and images.
  static let convolutions: [ONNXOperator] = [
    .perExample("Conv", import: convolve, length: .followed),
    .perExample(
      "ConvTranspose", import: transposedConvolve,
      length: .importedBy(ONNXLengths.transposedConvolve)),
  ]

  /// An image for a sequence [N, C, T]: [N, C, 1, T].
  static func image(_ input: FileTensor) -> FileTensor {
    input.rank == 3
      ? input.reshaped(to: [input.sizes[0], input.sizes[1], 1, input.sizes[2]]) : input
  }

  /// Checks that a kernel that a node states is that of its weights.
  fileprivate static func check(_ node: FileNode, kernel: [Int]) throws {
    guard let stated = node.ints("kernel_shape"), stated != kernel else { return }
    throw NodeFailure.invalid("kernel_shape \(stated) with weights of \(kernel)")
  }

  private static func convolve(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let weights = try call.value(1)
    guard (3...5).contains(input.rank), weights.sizes.count == input.rank else {
      throw NodeFailure.unsupported("a tensor of rank \(input.rank)")
    }
    let taps = Array(weights.sizes[2...])
    try check(call.node, kernel: taps)
    let window = try ONNXWindow(call.node, kernel: taps, sizes: Array(input.sizes[2...]))
    let groups = call.node.int("group", 1)
    let (outputs, channels) = (weights.sizes[0], input.sizes[1])
    guard groups >= 1, outputs >= 1, channels == weights.sizes[1].multipliedSaturated(by: groups),
      outputs.isMultiple(of: groups)
    else {
      throw NodeFailure.invalid(
        "weights \(weights.sizes) in \(groups) groups on \(channels) channels")
    }
    guard input.rank <= 4, let kernel = call.host(1), call.host(2) != nil || !call.has(2) else {
      call.set(try ONNXTapProducts.convolve(call, input, window, groups: groups))
      return
    }
    let isSequence = input.rank == 3
    let result = try stored(
      &call, image(input), kernel, isSequence ? window.asImage() : window, groups: groups)
    call.set(isSequence ? sequence(result) : result)
  }

  /// The sequence [N, C, T] of an image [N, C, 1, T].
  static func sequence(_ image: FileTensor) -> FileTensor {
    image.reshaped(to: [image.sizes[0], image.sizes[1], image.sizes[3]])
  }

  /// A convolution with stored weights.
  private static func stored(
    _ call: inout ONNXCall, _ input: FileTensor, _ weights: HostTensor, _ window: ONNXWindow,
    groups: Int
  ) throws -> FileTensor {
    let (outputs, channels) = (weights.sizes[0], input.sizes[1])
    let name = sharedName(call, input)
    let kernel = weights.reshaped([outputs, weights.sizes[1]] + window.kernel)
    call.parameter(.weights, of: name, kernel)
    let bias = call.host(2)
    if let bias {
      guard bias.count == outputs else {
        throw NodeFailure.invalid("a bias of \(bias.count) values for \(outputs) channels")
      }
      call.parameter(.biases, of: name, bias.reshaped([outputs]))
    }
    if groups == channels, groups > 1 {
      return try images(call, input) { name in
        var layer = DepthwiseConvolution(
          kernel: window.kernel2D, stride: window.stride2D, dilation: window.dilation2D,
          padding: window.padding, multiplier: outputs / groups, useBias: bias != nil, name: name)
        layer.weightScales = weights.scales
        return layer
      }
    }
    return try images(call, input) { name in
      var layer = Convolution(
        kernel: window.kernel2D, channels: outputs, stride: window.stride2D,
        dilation: window.dilation2D, padding: window.padding, groups: groups,
        useBias: bias != nil, name: name)
      layer.weightScales = weights.scales
      return layer
    }
  }

  // MARK: Transposed

  static func transposedConvolve(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let weights = try call.value(1)
    guard (3...5).contains(input.rank), weights.sizes.count == input.rank else {
      throw NodeFailure.unsupported("a tensor of rank \(input.rank)")
    }
    let window = try ONNXTransposedWindow(
      call.node, kernel: Array(weights.sizes[2...]), sizes: Array(input.sizes[2...]))
    let groups = call.node.int("group", 1)
    let channels = input.sizes[1]
    guard groups >= 1, weights.sizes[0] == channels, channels.isMultiple(of: groups) else {
      throw NodeFailure.invalid(
        "weights \(weights.sizes) in \(groups) groups on \(channels) channels")
    }
    guard input.rank <= 4, let kernel = call.host(1), call.host(2) != nil || !call.has(2) else {
      call.set(try ONNXTapProducts.transposedConvolve(call, input, window, groups: groups))
      return
    }
    let isSequence = input.rank == 3
    let result = try stored(
      &call, image(input), kernel, isSequence ? window.asImage() : window, groups: groups)
    call.set(isSequence ? sequence(result) : result)
  }

  /// A transposed convolution with stored weights.
  private static func stored(
    _ call: inout ONNXCall, _ input: FileTensor, _ weights: HostTensor,
    _ window: ONNXTransposedWindow, groups: Int
  ) throws -> FileTensor {
    let outputs = weights.sizes[1].multipliedSaturated(by: groups)
    let name = sharedName(call, input)
    call.parameter(
      .weights, of: name,
      weights.reshaped([input.sizes[1], weights.sizes[1]] + window.kernel))
    let biases = call.host(2)
    if let biases { call.parameter(.biases, of: name, biases.reshaped([outputs])) }
    return try images(call, input) { name in
      TransposedConvolution(
        kernel: (window.kernel[1], window.kernel[0]), channels: outputs,
        stride: (window.strides[1], window.strides[0]),
        dilation: (window.dilations[1], window.dilations[0]),
        padding: .explicit(
          top: window.before[0], left: window.before[1], bottom: window.after[0],
          right: window.after[1]),
        outputPadding: (window.output[1], window.output[0]), groups: groups,
        useBias: biases != nil, name: name)
    }
  }
}

/// The window attributes of ONNX's transposed convolutions.
struct ONNXTransposedWindow {
  let kernel: [Int]
  let strides: [Int]
  let dilations: [Int]
  let before: [Int]
  let after: [Int]
  let output: [Int]

  /// Reads the attributes of a node; `output_shape` and `auto_pad` become paddings.
  init(_ node: FileNode, kernel: [Int], sizes: [Int]) throws {
    let rank = kernel.count
    func list(_ name: String, _ absent: Int) throws -> [Int] {
      let values = node.ints(name) ?? Array(repeating: absent, count: rank)
      guard values.count == rank, values.allSatisfy({ (absent...(1 << 20)).contains($0) }) else {
        throw NodeFailure.invalid("\(name) \(values) of \(rank) dimensions")
      }
      return values
    }
    guard kernel.allSatisfy({ (1...(1 << 20)).contains($0) }) else {
      throw NodeFailure.invalid("a kernel of \(kernel)")
    }
    try ONNXOperators.check(node, kernel: kernel)
    let (strides, dilations) = (try list("strides", 1), try list("dilations", 1))
    let output = try list("output_padding", 0)
    let automatic = node.string("auto_pad", "NOTSET")
    let pads = node.ints("pads") ?? Array(repeating: 0, count: 2 * rank)
    guard pads.count == 2 * rank, pads.allSatisfy({ (0...(1 << 20)).contains($0) }) else {
      throw NodeFailure.unsupported("pads \(pads)")
    }
    var (before, after) = (Array(pads[..<rank]), Array(pads[rank...]))
    let wanted: [Int]?
    switch automatic {
    case "NOTSET", "", "VALID": wanted = node.ints("output_shape")
    case "SAME_UPPER", "SAME_LOWER":
      wanted = node.ints("output_shape") ?? zip(sizes, strides).map { $0 * $1 }
    default: throw NodeFailure.unsupported("auto_pad \"\(automatic)\"")
    }
    var extra = output
    if let wanted {
      guard wanted.count == rank, wanted.allSatisfy({ (1...(1 << 30)).contains($0) }) else {
        throw NodeFailure.invalid("output_shape \(wanted)")
      }
      for axis in 0..<rank {
        let extent = (kernel[axis] - 1) * dilations[axis] + 1
        let full = strides[axis] * (sizes[axis] - 1) + output[axis] + extent
        let total = full - wanted[axis]
        if total < 0 {
          (before[axis], after[axis]) = (0, 0)
          extra[axis] += -total
        } else if automatic == "SAME_UPPER" {
          (before[axis], after[axis]) = (total / 2, total - total / 2)
        } else {
          (before[axis], after[axis]) = (total - total / 2, total / 2)
        }
      }
    } else if automatic == "VALID" {
      before = Array(repeating: 0, count: rank)
      after = before
    }
    self.init(
      kernel: kernel, strides: strides, dilations: dilations, before: before, after: after,
      output: extra)
  }

  private init(
    kernel: [Int], strides: [Int], dilations: [Int], before: [Int], after: [Int], output: [Int]
  ) {
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
    self.output = output
  }

  /// The same window with an axis of size 1 in front: a sequence as an image of height 1.
  func asImage() -> ONNXTransposedWindow {
    ONNXTransposedWindow(
      kernel: [1] + kernel, strides: [1] + strides, dilations: [1] + dilations,
      before: [0] + before, after: [0] + after, output: [0] + output)
  }
}
