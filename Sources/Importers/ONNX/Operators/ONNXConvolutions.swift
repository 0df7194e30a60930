import Forge

extension ONNXOperators {
  /// Convolutions and transposed convolutions on sequences and images.
  static let convolutions: [String: Operation] = [
    "Conv": convolve,
    "ConvTranspose": transposedConvolve,
  ]

  /// An image for a sequence [N, C, T]: [N, C, 1, T].
  private static func image(_ input: FileTensor) -> FileTensor {
    input.rank == 3
      ? input.reshaped(to: [input.sizes[0], input.sizes[1], 1, input.sizes[2]]) : input
  }

  private static func convolve(_ call: inout ONNXCall) throws {
    let original = try call.network(0)
    let weights = try call.value(1)
    guard (3...4).contains(original.rank), weights.sizes.count == original.rank else {
      throw NodeFailure.unsupported("a tensor of rank \(original.rank)")
    }
    var window = try ONNXWindow(
      call.node, kernel: Array(weights.sizes[2...]), sizes: Array(original.sizes[2...]))
    let input = image(original)
    if original.rank == 3 { window = window.asImage() }
    let groups = call.node.int("group", 1)
    let (outputs, channels) = (weights.sizes[0], input.sizes[1])
    guard groups >= 1, outputs >= 1, channels == weights.sizes[1].multipliedSaturated(by: groups),
      outputs.isMultiple(of: groups)
    else {
      throw NodeFailure.invalid(
        "weights \(weights.sizes) in \(groups) groups on \(channels) channels")
    }
    let bias = try call.has(2) ? call.value(2) : nil
    let result: FileTensor
    if case .host(let kernel) = weights,
      bias.map({ if case .host = $0 { true } else { false } }) ?? true
    {
      result = try stored(&call, input, kernel, window, groups: groups)
    } else {
      guard groups == 1 else {
        throw NodeFailure.unsupported("weights computed at run time, in groups")
      }
      result = try computed(&call, input, window)
    }
    call.set(original.rank == 3 ? sequence(result) : result)
  }

  private static func sequence(_ image: FileTensor) -> FileTensor {
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
        DepthwiseConvolution(
          kernel: window.kernel2D, stride: window.stride2D, dilation: window.dilation2D,
          padding: window.padding, multiplier: outputs / groups, useBias: bias != nil, name: name)
      }
    }
    return try images(call, input) { name in
      Convolution(
        kernel: window.kernel2D, channels: outputs, stride: window.stride2D,
        dilation: window.dilation2D, padding: window.padding, groups: groups,
        useBias: bias != nil, name: name)
    }
  }

  /// A convolution whose weights are computed at run time: a matrix product for each tap.
  private static func computed(
    _ call: inout ONNXCall, _ input: FileTensor, _ window: ONNXWindow
  ) throws -> FileTensor {
    let given = try call.network(1)
    let weights =
      given.rank == 3
      ? given.reshaped(to: [given.sizes[0], given.sizes[1], 1, given.sizes[2]]) : given
    let (outputs, inputs) = (weights.sizes[0], weights.sizes[1])
    let (height, width) = (window.kernel[0], window.kernel[1])
    guard height.multipliedSaturated(by: width) <= 1 << 10 else {
      throw NodeFailure.unsupported("a large kernel computed at run time")
    }
    // [H, W, inputs, outputs], so that each tap is a matrix.
    let taps = weights.tensor(as: [2, 3, 1, 0])
    let padded = try call.apply(
      Pad(
        before: [0, window.before[0], window.before[1], 0],
        after: [0, window.after[0], window.after[1], 0]),
      to: input.tensor(as: [0, 2, 3, 1]))
    func count(_ axis: Int) throws -> Int {
      let extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
      let size = input.sizes[axis + 2] + window.before[axis] + window.after[axis]
      guard size >= extent else { throw NodeFailure.invalid("an empty result") }
      return (size - extent) / window.strides[axis] + 1
    }
    let (rows, columns) = (try count(0), try count(1))
    var sum: Tensor?
    for y in 0..<height {
      for x in 0..<width {
        let (top, left) = (y * window.dilations[0], x * window.dilations[1])
        let part = try call.apply(
          Slice(
            starts: [top, left],
            ends: [
              top + (rows - 1) * window.strides[0] + 1,
              left + (columns - 1) * window.strides[1] + 1,
            ], axes: [1, 2], steps: window.strides), to: padded)
        let matrix = try call.apply(
          Reshape(to: [input.sizes[0] * rows * columns, inputs]), to: part)
        let tap = try call.apply(
          Reshape(to: [inputs, outputs]),
          to: try call.apply(Slice(starts: [y, x], ends: [y + 1, x + 1], axes: [0, 1]), to: taps))
        let product = try call.apply(MatMul(), to: matrix, tap)
        sum = try sum.map { try call.apply(Add(), to: $0, product) } ?? product
      }
    }
    guard var sum else { throw NodeFailure.invalid("an empty kernel") }
    if call.has(2) {
      let bias = try call.network(2)
      sum = try call.apply(Add(), to: sum, bias.tensor(as: [nil, 0]))
    }
    let sizes = [input.sizes[0], rows, columns, outputs]
    return FileTensor(
      try call.apply(Reshape(to: sizes), to: sum), layout: [0, 2, 3, 1], rank: 4, type: input.type)
  }

  // MARK: Transposed

  private static func transposedConvolve(_ call: inout ONNXCall) throws {
    let original = try call.network(0)
    let weights = try call.value(1)
    guard (3...4).contains(original.rank), weights.sizes.count == original.rank else {
      throw NodeFailure.unsupported("a tensor of rank \(original.rank)")
    }
    let spatial = original.rank - 2
    let sizes = Array(original.sizes[2...])
    let kernel = Array(weights.sizes[2...])
    var window = try ONNXTransposedWindow(call.node, kernel: kernel, sizes: sizes)
    let input = image(original)
    if spatial == 1 { window = window.asImage() }
    let groups = call.node.int("group", 1)
    let channels = input.sizes[1]
    guard groups >= 1, weights.sizes[0] == channels, channels.isMultiple(of: groups) else {
      throw NodeFailure.invalid(
        "weights \(weights.sizes) in \(groups) groups on \(channels) channels")
    }
    let outputs = weights.sizes[1].multipliedSaturated(by: groups)
    let bias = try call.has(2) ? call.value(2) : nil
    let result: FileTensor
    if case .host(let values) = weights,
      bias.map({ if case .host = $0 { true } else { false } }) ?? true
    {
      let name = sharedName(call, input)
      call.parameter(
        .weights, of: name, values.reshaped([channels, weights.sizes[1]] + window.kernel))
      let biases = call.host(2)
      if let biases { call.parameter(.biases, of: name, biases.reshaped([outputs])) }
      result = try images(call, input) { name in
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
    } else {
      guard groups == 1 else {
        throw NodeFailure.unsupported("weights computed at run time, in groups")
      }
      result = try computedTransposed(&call, input, window, outputs: outputs)
    }
    call.set(spatial == 1 ? sequence(result) : result)
  }

  /// A transposed convolution whose weights are computed at run time: for each tap a matrix
  /// product, spread by the stride and moved to its place.
  private static func computedTransposed(
    _ call: inout ONNXCall, _ input: FileTensor, _ window: ONNXTransposedWindow, outputs: Int
  ) throws -> FileTensor {
    let given = try call.network(1)
    let weights =
      given.rank == 3
      ? given.reshaped(to: [given.sizes[0], given.sizes[1], 1, given.sizes[2]]) : given
    let channels = input.sizes[1]
    let (height, width) = (window.kernel[0], window.kernel[1])
    guard height.multipliedSaturated(by: width) <= 1 << 10 else {
      throw NodeFailure.unsupported("a large kernel computed at run time")
    }
    let taps = weights.tensor(as: [2, 3, 0, 1])
    let count = input.sizes[0]
    let (rows, columns) = (input.sizes[2], input.sizes[3])
    let matrix = try call.apply(
      Reshape(to: [count * rows * columns, channels]), to: input.tensor(as: [0, 2, 3, 1]))
    // The result before the padding is cut off.
    let full = (0..<2).map { (axis: Int) -> Int in
      let extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
      return window.strides[axis] * (input.sizes[axis + 2] - 1) + window.output[axis] + extent
    }
    var sum: Tensor?
    for y in 0..<height {
      for x in 0..<width {
        let tap = try call.apply(
          Reshape(to: [channels, outputs]),
          to: try call.apply(Slice(starts: [y, x], ends: [y + 1, x + 1], axes: [0, 1]), to: taps))
        let product = try call.apply(MatMul(), to: matrix, tap)
        // Zeros between the rows and columns.
        let spread = try call.apply(
          Reshape(to: [count, rows * window.strides[0], columns * window.strides[1], outputs]),
          to: try call.apply(
            Pad(
              before: [0, 0, 0, 0, 0, 0],
              after: [0, 0, window.strides[0] - 1, 0, window.strides[1] - 1, 0]),
            to: try call.apply(
              Reshape(to: [count, rows, 1, columns, 1, outputs]), to: product)))
        let (top, left) = (y * window.dilations[0], x * window.dilations[1])
        let moved = try call.apply(
          Pad(
            before: [0, top - window.before[0], left - window.before[1], 0],
            after: [
              0, full[0] - rows * window.strides[0] - top - window.after[0],
              full[1] - columns * window.strides[1] - left - window.after[1], 0,
            ]), to: spread)
        sum = try sum.map { try call.apply(Add(), to: $0, moved) } ?? moved
      }
    }
    guard var sum else { throw NodeFailure.invalid("an empty kernel") }
    if call.has(2) {
      let bias = try call.network(2)
      sum = try call.apply(Add(), to: sum, bias.tensor(as: [nil, nil, nil, 0]))
    }
    return FileTensor(sum, layout: [0, 2, 3, 1], rank: 4, type: input.type)
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
  init(_ node: ONNXNode, kernel: [Int], sizes: [Int]) throws {
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
    let stated = node.ints("kernel_shape")
    guard stated == nil || stated == kernel else {
      throw NodeFailure.invalid("kernel_shape \(stated ?? []) with weights of \(kernel)")
    }
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
