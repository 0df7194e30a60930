import CForgeKernels

/// F(tile, kernel) along each axis; with stride 2 a sum of four, one per phase: the image's even or odd rows
/// and columns, filtered by every other tap.
struct WinogradForm: Sendable, CustomStringConvertible {
  var tile: (height: Int, width: Int)
  var kernel: (height: Int, width: Int)
  var canPool: Bool
  var stride = 1

  /// Every form that the header promises.
  static let all: [WinogradForm] =
    [(2, 3), (4, 3), (6, 3), (2, 5), (4, 5)].map { .square($0, $1, canPool: true) }
    + [3, 5].map { .square($0, 3, canPool: false) }
    + [WinogradForm(tile: (5, 4), kernel: (3, 3), canPool: false)]
    + [(2, 7), (4, 7), (6, 7), (2, 3), (4, 3), (6, 3)].flatMap { n, r in
      [
        WinogradForm(tile: (1, n), kernel: (1, r), canPool: false),
        WinogradForm(tile: (n, 1), kernel: (r, 1), canPool: false),
      ]
    } + strided

  /// Those of stride 2.
  static let strided = [3, 4].map { n in
    WinogradForm(tile: (n, n), kernel: (3, 3), canPool: false, stride: 2)
  }

  private static func square(_ n: Int, _ r: Int, canPool: Bool) -> WinogradForm {
    WinogradForm(tile: (n, n), kernel: (r, r), canPool: canPool)
  }

  var vertical: WinogradAxis { WinogradAxis(tile.height, (kernel.height + stride - 1) / stride) }
  var horizontal: WinogradAxis { WinogradAxis(tile.width, (kernel.width + stride - 1) / stride) }

  /// The phases: which of the rows and columns.
  var phases: [(y: Int, x: Int)] {
    (0..<stride).flatMap { y in (0..<stride).map { (y, $0) } }
  }

  /// A unit of weights: a point of a phase.
  struct Unit {
    var phase, y, x: Int
  }

  /// The units, point by point, without those that hold nothing: an odd phase has one tap fewer and so no
  /// part in the product at infinity.
  var units: [Unit] {
    let (rows, columns) = (vertical.alpha, horizontal.alpha)
    return (0..<rows * columns).flatMap { point in
      phases.enumerated().compactMap { phase, odd in
        let unit = Unit(phase: phase, y: point / columns, x: point % columns)
        let isEmpty =
          (odd.y == 1 && unit.y == rows - 1) || (odd.x == 1 && unit.x == columns - 1)
        return isEmpty ? nil : unit
      }
    }
  }

  /// The taps of each phase, of all taps row by row; zero past the last.
  func taps(_ weights: [Double]) -> [[[Double]]] {
    let (rows, columns) = (vertical.filter[0].count, horizontal.filter[0].count)
    return phases.map { odd in
      (0..<rows).map { y in
        (0..<columns).map { x in
          let (ky, kx) = (y * stride + odd.y, x * stride + odd.x)
          return ky < kernel.height && kx < kernel.width ? weights[ky * kernel.width + kx] : 0
        }
      }
    }
  }

  /// Padding that leaves the image as large as it is, or a pixel smaller or larger.
  var same: (top: Int, left: Int, bottom: Int, right: Int) {
    (kernel.height / 2, kernel.width / 2, kernel.height / 2, kernel.width / 2)
  }

  var description: String {
    "F(\(tile.height)×\(tile.width), \(kernel.height)×\(kernel.width)), stride \(stride)"
  }
}

/// A 2×2 maximum pooling with stride 2 at the end of a convolution.
enum Pooling: Sendable, CaseIterable {
  case none, roundedDown, roundedUp

  func size(_ size: Int) -> Int {
    switch self {
    case .none: size
    case .roundedDown: size / 2
    case .roundedUp: (size + 1) / 2
    }
  }
}

/// A Winograd convolution to try; the stride of `convolution` is the form's, its dilation 1.
struct WinogradCase: CustomStringConvertible {
  var form: WinogradForm
  var convolution: ConvolutionCase
  var pooling = Pooling.none
  var chunk = 6
  var summed = 4096

  init(
    _ form: WinogradForm, height: Int, width: Int, inputs: Int, outputs: Int,
    padding: (top: Int, left: Int, bottom: Int, right: Int)? = nil, panel: Int = 64,
    activation: Activation = .linear, residual: Bool = false, images: Int = 1
  ) {
    self.form = form
    convolution = ConvolutionCase(
      height: height, width: width, inputs: inputs, outputs: outputs, kernel: form.kernel,
      stride: (form.stride, form.stride), padding: padding ?? form.same, panel: panel,
      activation: activation, residual: residual,
      images: images)
  }

  var description: String {
    "\(form) \(convolution), pooling \(pooling), chunk \(chunk), summed \(summed)"
  }
}

extension Expected {
  /// The 2×2 maximum pooling of a convolution's sums, then its activation.
  func pooled(_ test: ConvolutionCase, _ pooling: Pooling) -> Expected {
    let (height, width, channels) = (test.outHeight, test.outWidth, test.outputs)
    guard pooling != .none else {
      return activated(test.activation, values.indices.map { [$0] })
    }
    var windows: [[Int]] = []
    for y in 0..<pooling.size(height) {
      for x in 0..<pooling.size(width) {
        for c in 0..<channels {
          windows.append(
            [(0, 0), (0, 1), (1, 0), (1, 1)].compactMap { dy, dx in
              let (row, column) = (2 * y + dy, 2 * x + dx)
              return row < height && column < width
                ? (row * width + column) * channels + c : nil
            })
        }
      }
    }
    return activated(test.activation, windows)
  }

  private func activated(_ activation: Activation, _ windows: [[Int]]) -> Expected {
    var result = Expected()
    for window in windows {
      let sum = window.contains { values[$0].isNaN } ? .nan : window.map { values[$0] }.max() ?? 0
      let error = window.map { tolerances[$0] }.max() ?? 0
      result.append(
        activation.reference(sum), tolerance: activation.tolerance(sum, error: error))
    }
    return result
  }
}

/// The numbers of a Winograd convolution to try.
struct WinogradNumbers {
  var numbers: ConvolutionNumbers
  /// The sums, residual included, with the error that Winograd's algorithm may make of them.
  private let sums: Expected

  init(_ test: WinogradCase) {
    numbers = ConvolutionNumbers(test.convolution)
    var plain = test.convolution
    plain.activation = .linear
    var sums = numbers.expected(plain)
    let bounds = Self.magnitudes(test, numbers)
    // A sum over channels, one over each transform's rows, in and out.
    let terms =
      test.form.phases.count * test.convolution.inputs + 2
      * (test.form.vertical.alpha + test.form.horizontal.alpha)
    for i in bounds.indices {
      sums.tolerances[i] = max(
        sums.tolerances[i], tolerance(terms: terms, magnitude: bounds[i]))
    }
    self.sums = sums
  }

  func expected(_ test: WinogradCase) -> Expected {
    sums.pooled(test.convolution, test.pooling)
  }

  /// What the absolute values of all that is added up come to on the way through the three stages.
  private static func magnitudes(_ test: WinogradCase, _ numbers: ConvolutionNumbers) -> [Double] {
    let (form, sizes) = (test.form, test.convolution)
    let (vertical, horizontal) = (form.vertical, form.horizontal)
    let inputMatrices = (
      CForgeKernelsTests.magnitudes(vertical.input), CForgeKernelsTests.magnitudes(horizontal.input)
    )
    let outputMatrices = (
      CForgeKernelsTests.magnitudes(vertical.output),
      CForgeKernelsTests.magnitudes(horizontal.output)
    )
    let points = form.phases.count * vertical.alpha * horizontal.alpha
    let taps = form.kernel.height * form.kernel.width
    // The filters of all outputs: [output][input][phase][point].
    var filters: [Double] = []
    for o in 0..<sizes.outputs {
      for c in 0..<sizes.inputs {
        let weights = (0..<taps).map { tap in
          Double(numbers.weights[(o * taps + tap) * sizes.inputs + c])
        }
        for filter in form.taps(weights) {
          filters += transform(vertical.filter, filter, horizontal.filter).joined().map(abs)
        }
      }
    }
    var result = [Double](
      repeating: 0, count: sizes.outHeight * sizes.outWidth * sizes.outputs)
    for top in stride(from: 0, to: sizes.outHeight, by: form.tile.height) {
      for left in stride(from: 0, to: sizes.outWidth, by: form.tile.width) {
        let inputs = (0..<sizes.inputs).map { c in
          form.phases.flatMap { phase in
            let patch = (0..<vertical.alpha).map { y in
              (0..<horizontal.alpha).map { x in
                abs(
                  numbers.input.padded(
                    (top + y) * form.stride + phase.y - sizes.padding.top,
                    (left + x) * form.stride + phase.x - sizes.padding.left, c))
              }
            }
            return Array(transform(inputMatrices.0, patch, inputMatrices.1).joined())
          }
        }
        for o in 0..<sizes.outputs {
          var products = [Double](repeating: 0, count: vertical.alpha * horizontal.alpha)
          for c in 0..<sizes.inputs {
            let filter = (o * sizes.inputs + c) * points
            for point in 0..<points {
              products[point % products.count] += filters[filter + point] * inputs[c][point]
            }
          }
          let rows = (0..<vertical.alpha).map { y in
            Array(products[y * horizontal.alpha..<(y + 1) * horizontal.alpha])
          }
          let sums = transform(outputMatrices.0, rows, outputMatrices.1)
          for y in 0..<min(form.tile.height, sizes.outHeight - top) {
            for x in 0..<min(form.tile.width, sizes.outWidth - left) {
              let place = ((top + y) * sizes.outWidth + left + x) * sizes.outputs + o
              let residual = sizes.residual ? abs(Double(numbers.residual.values[place])) : 0
              result[place] = sums[y][x] + abs(Double(numbers.bias[o])) + residual
            }
          }
        }
      }
    }
    return result
  }

  /// The weights as forge_pack_winograd makes them.
  func packedWeights(_ test: WinogradCase) -> [Float] {
    let sizes = test.convolution
    let panels = (sizes.outputs + sizes.panel - 1) / sizes.panel
    var packed = [Float](
      repeating: Float(bitPattern: canary),
      count: panels * test.form.units.count * ((sizes.inputs + 15) / 16 * 16) * sizes.panel)
    forge_pack_winograd(
      numbers.weights, &packed, Int64(sizes.outputs), Int64(sizes.inputs),
      Int32(test.form.tile.height), Int32(test.form.kernel.height), Int32(test.form.tile.width),
      Int32(test.form.kernel.width), Int32(test.form.stride), Int64(sizes.panel), 1)
    return packed
  }
}

/// The calls of a Winograd convolution, in one step and in two.
struct PreparedWinograd {
  var out: Blocked
  var layout: forge_winograd_layout
  var transformed, products: Buffer
  /// Where scratch begins, and how far apart the parts of two workers are.
  var start, transformedWorker, productsWorker: Int
  var whole, input, output: Call

  /// Scratch outside the parts of workers that is not a canary any more, or the part of another worker.
  func hasStrayed(worker: Int, inputOfWholeImage: Bool = false) -> Bool {
    func strayed(_ buffer: Buffer, _ own: Range<Int>) -> Bool {
      (0..<buffer.count).contains {
        !own.contains($0) && buffer.pointer[$0].bitPattern != canary
      }
    }
    let first = start + worker * transformedWorker
    let second = start + worker * productsWorker
    let floats = Int(layout.transformed_floats) * (inputOfWholeImage ? Int(layout.chunks) : 1)
    return strayed(transformed, inputOfWholeImage ? start..<start + floats : first..<first + floats)
      || strayed(products, second..<second + Int(layout.products_floats))
  }
}

extension WinogradNumbers {
  /// The convolution on one level, in memory with canaries all around.
  func prepare(
    _ test: WinogradCase, on level: Level, worker: Int = 0, next: Ahead = .bias
  ) -> PreparedWinograd {
    let sizes = test.convolution
    let input = Blocked(numbers.input, images: sizes.images)
    let residual = Blocked(numbers.residual, images: sizes.images)
    let out = Blocked(
      test.pooling.size(sizes.outHeight), test.pooling.size(sizes.outWidth), sizes.outputs,
      halo: Halo(top: 1, left: 1, bottom: 1, right: 1), images: sizes.images)
    let weights = Buffer(packedWeights(test))
    let bias = Buffer(numbers.packedBias(sizes))
    var arguments = forge_winograd_arguments()
    arguments.in = input.view(base: 0)
    arguments.out = out.view(base: 1)
    arguments.weights = UnsafePointer(weights.pointer)
    arguments.bias = UnsafePointer(bias.pointer)
    arguments.kernel_height = Int32(test.form.kernel.height)
    arguments.kernel_width = Int32(test.form.kernel.width)
    arguments.tile_height = Int32(test.form.tile.height)
    arguments.tile_width = Int32(test.form.tile.width)
    arguments.pad_top = Int32(sizes.padding.top)
    arguments.pad_left = Int32(sizes.padding.left)
    arguments.stride = Int32(test.form.stride)
    arguments.height = Int32(sizes.outHeight)
    arguments.width = Int32(sizes.outWidth)
    arguments.panel_width = Int32(sizes.panel)
    arguments.chunk = Int32(clamping: test.chunk)
    arguments.summed = Int32(test.summed)
    arguments.pooled = test.pooling == .none ? 0 : 1
    arguments.epilogue = numbers.epilogue(sizes, residual.view(base: 2))
    let ahead = next.memory(bias)
    arguments.next = ahead.map { UnsafePointer($0.buffer.pointer) }
    arguments.next_floats = Int64(ahead?.floats ?? 0)

    let layout = forge_winograd_layout_of(&arguments)
    let start = 37
    let transformedWorker = Int(layout.transformed_floats) + 16
    let productsWorker = Int(layout.products_floats) + 16
    let transformed = Buffer(
      count: start
        + max(
          transformedWorker * (worker + 2), Int(layout.transformed_floats * layout.chunks)) + 64)
    let products = Buffer(count: start + productsWorker * (worker + 2) + 64)
    arguments.transformed.base = 3
    arguments.transformed.offset = Int64(start)
    arguments.products.base = 4
    arguments.products.offset = Int64(start)
    arguments.transformed_worker = Int64(transformedWorker)
    arguments.products_worker = Int64(productsWorker)
    let bases =
      [input.buffer, out.buffer, residual.buffer, transformed, products, weights, bias]
      + (ahead.map { [$0.buffer] } ?? [])
    let image = sizes.images - 1
    let table = level.kernels
    return PreparedWinograd(
      out: out, layout: layout, transformed: transformed, products: products, start: start,
      transformedWorker: transformedWorker, productsWorker: productsWorker,
      whole: Call(
        table.winograd, arguments, bases: bases, image: image, worker: worker, out: out.buffer,
        tiles: forge_winograd_tiles),
      input: Call(
        table.winograd_input, arguments, bases: bases, image: image, worker: worker,
        out: transformed, tiles: forge_winograd_input_tiles),
      output: Call(
        table.winograd_output, arguments, bases: bases, image: image, worker: worker,
        out: out.buffer, tiles: forge_winograd_output_tiles))
  }
}
