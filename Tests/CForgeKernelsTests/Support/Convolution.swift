import CForgeKernels

/// A convolution to try: sizes as in forge_convolution_arguments, and the padding on all sides.
struct ConvolutionCase: Sendable, CustomStringConvertible {
  var height = 1
  var width = 1
  var inputs = 1
  var outputs = 1
  var kernel = (height: 1, width: 1)
  var stride = (y: 1, x: 1)
  var dilation = (y: 1, x: 1)
  var padding = (top: 0, left: 0, bottom: 0, right: 0)
  var panel = 64
  /// Parts that each row is cut into.
  var segments = 1
  var activation = Activation.linear
  var residual = false
  var images = 1
  var seed: UInt64 = 1

  var outHeight: Int {
    (height + padding.top + padding.bottom - (kernel.height - 1) * dilation.y - 1) / stride.y + 1
  }
  var outWidth: Int {
    (width + padding.left + padding.right - (kernel.width - 1) * dilation.x - 1) / stride.x + 1
  }

  /// Just the pixels that windows reach outside: beyond them are canaries.
  var halo: Halo {
    let lastY = (outHeight - 1) * stride.y + (kernel.height - 1) * dilation.y - padding.top
    let lastX = (outWidth - 1) * stride.x + (kernel.width - 1) * dilation.x - padding.left
    return Halo(
      top: padding.top, left: padding.left, bottom: max(0, lastY - height + 1),
      right: max(0, lastX - width + 1))
  }

  var description: String {
    """
    \(height)×\(width)×\(inputs) → \(outputs) kernel \(kernel) stride \(stride) \
    dilation \(dilation) padding \(padding) panel \(panel) segments \(segments) \(activation) residual \(residual)
    """
  }
}

/// The numbers of a convolution to try.
struct ConvolutionNumbers {
  var input: Image
  var weights: [Float]  // [output][ky][kx][input of the group]
  var bias: [Float]
  var residual: Image

  init(_ test: ConvolutionCase, groups: Int = 1) {
    var random = SeededGenerator(seed: test.seed)
    input = Image(test.height, test.width, test.inputs, random: &random)
    let perOutput = test.kernel.height * test.kernel.width * test.inputs / groups
    weights = random.values(test.outputs * perOutput)
    bias = random.values(test.outputs)
    residual = Image(test.outHeight, test.outWidth, test.outputs, random: &random)
  }

  /// The convolution by its definition, in groups.
  func expected(_ test: ConvolutionCase, groups: Int = 1) -> Expected {
    let inputs = test.inputs / groups
    let outputs = test.outputs / groups
    let terms = test.kernel.height * test.kernel.width * inputs
    var expected = Expected()
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for o in 0..<test.outputs {
          var sum = Double(bias[o])
          var magnitude = abs(sum)
          var weight = o * terms
          for ky in 0..<test.kernel.height {
            for kx in 0..<test.kernel.width {
              for c in o / outputs * inputs..<(o / outputs + 1) * inputs {
                let product =
                  input.padded(
                    y * test.stride.y + ky * test.dilation.y - test.padding.top,
                    x * test.stride.x + kx * test.dilation.x - test.padding.left, c)
                  * Double(weights[weight])
                sum += product
                magnitude += abs(product)
                weight += 1
              }
            }
          }
          if test.residual {
            sum += Double(residual[y, x, o])
            magnitude += abs(Double(residual[y, x, o]))
          }
          let error = tolerance(terms: terms + 1, magnitude: magnitude)
          expected.append(
            test.activation.reference(sum),
            tolerance: test.activation.tolerance(sum, error: error))
        }
      }
    }
    return expected
  }

  /// The weights as the kernel wants them: [panel][ky][kx][in blocks * 16][panel].
  func packedWeights(_ test: ConvolutionCase) -> [Float] {
    let taps = test.kernel.height * test.kernel.width
    let padded = (test.inputs + 15) / 16 * 16
    let panels = (test.outputs + test.panel - 1) / test.panel
    var packed = [Float](repeating: 0, count: panels * taps * padded * test.panel)
    for o in 0..<test.outputs {
      for tap in 0..<taps {
        for c in 0..<test.inputs {
          let row = (o / test.panel * taps + tap) * padded + c
          packed[row * test.panel + o % test.panel] = weights[(o * taps + tap) * test.inputs + c]
        }
      }
    }
    return packed
  }

  func packedBias(_ test: ConvolutionCase) -> [Float] {
    bias + [Float](repeating: 0, count: (test.panel - test.outputs % test.panel) % test.panel)
  }
}

/// What a kernel fetches into the cache for the step after it.
enum Ahead {
  case nothing, bias
  case memory(Buffer, floats: Int)

  func memory(_ bias: Buffer) -> (buffer: Buffer, floats: Int)? {
    switch self {
    case .nothing: nil
    case .bias: (bias, bias.count)
    case .memory(let buffer, let floats): (buffer, floats)
    }
  }
}

/// Where a kernel's result goes, and the call that computes it.
struct Prepared {
  var out: Blocked
  var call: Call
}

extension ConvolutionNumbers {
  /// The convolution on one level, in memory with canaries all around.
  ///
  /// With `inPlace`, the output is where the residual is; `next` is fetched ahead.
  func prepare(
    _ test: ConvolutionCase, on level: Level, inPlace: Bool = false, next: Ahead = .bias
  ) -> Prepared {
    let input = Blocked(self.input, halo: test.halo, images: test.images)
    let residual = Blocked(self.residual, images: test.images)
    let out = inPlace ? residual : output(test)
    let weights = Buffer(packedWeights(test))
    let bias = Buffer(packedBias(test))
    let ahead = next.memory(bias)
    let arguments = forge_convolution_arguments(
      in: input.view(base: 0), out: out.view(base: 1), weights: weights.pointer,
      bias: bias.pointer, kernel_height: Int32(test.kernel.height),
      kernel_width: Int32(test.kernel.width), stride_y: Int32(test.stride.y),
      stride_x: Int32(test.stride.x), dilation_y: Int32(test.dilation.y),
      dilation_x: Int32(test.dilation.x), pad_top: Int32(test.padding.top),
      pad_left: Int32(test.padding.left), panel_width: Int32(test.panel),
      segments: Int32(test.segments), epilogue: epilogue(test, residual.view(base: 2)),
      next: ahead.map { UnsafePointer($0.buffer.pointer) }, next_floats: Int64(ahead?.floats ?? 0),
      scales: nil, totals: nil, range: forge_view(), flat: 0)
    return Prepared(
      out: out,
      call: Call(
        level.kernels.convolution, arguments,
        bases: [input.buffer, out.buffer, residual.buffer, weights, bias]
          + (ahead.map { [$0.buffer] } ?? []),
        image: test.images - 1, out: out.buffer, tiles: forge_convolution_tiles))
  }

  /// Room for the result, with a halo that must be left alone.
  func output(_ test: ConvolutionCase) -> Blocked {
    Blocked(
      test.outHeight, test.outWidth, test.outputs,
      halo: Halo(top: 1, left: 1, bottom: 1, right: 1), images: test.images)
  }

  func epilogue(_ test: ConvolutionCase, _ residual: forge_view) -> forge_epilogue {
    forge_epilogue(
      activation: test.activation.c, has_residual: test.residual ? 1 : 0, residual: residual)
  }
}
