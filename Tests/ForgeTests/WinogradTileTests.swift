import CForgeKernels
import Forge
import ForgeTestSupport
import Testing

/// The estimated error of Winograd's algorithm against measured errors.
@Suite struct WinogradTileTests {
  static let kernels = [(3, 3), (5, 5), (7, 1), (1, 7), (3, 1), (1, 3)].map {
    Size(width: $0.0, height: $0.1)
  }

  static let forms = kernels.flatMap { WinogradTile.forms(of: $0) }
  /// Those with stride 2 besides.
  static let allForms =
    forms
    + WinogradTile.forms(
      of: Size(width: 3, height: 3), stride: Size(width: 2, height: 2))

  @Test func kernelForms() {
    let tiles = Self.kernels.map { kernel in
      WinogradTile.forms(of: kernel).map { max($0.tile.width, $0.tile.height) }
    }
    #expect(
      tiles == [[2, 3, 4, 5, 5, 6], [2, 4], [2, 4, 6], [2, 4, 6], [2, 4, 6], [2, 4, 6]])
    for form in Self.forms {
      #expect(form.tile.width == 1 || form.kernel.width > 1)
      #expect(form.tile.height == 1 || form.kernel.height > 1)
      // Fewer products than the window has taps, or it would not be worth it.
      let (tile, kernel) = (form.tile, form.kernel)
      #expect(form.points < tile.width * tile.height * kernel.width * kernel.height)
      let isEvenSquare = tile.width == tile.height && tile.width.isMultiple(of: 2)
      #expect(form.canPool == isEvenSquare)
    }
    for (width, height) in [(1, 1), (2, 2), (3, 5), (4, 4), (7, 7), (1, 5), (9, 1), (1 << 40, 3)] {
      #expect(WinogradTile.forms(of: Size(width: width, height: height)).isEmpty)
    }
  }

  @Test func summedChannelsAreLargestWithinAccuracy() {
    for form in Self.forms {
      for inputs in [1, 16, 48, 100, 512, 4096] {
        for accuracy in [1e-9, 1e-7, 1e-6, 2.5e-6, 1e-5, 1.0] {
          let least = form.leastSummed
          let lengths = Swift.stride(from: least, to: inputs, by: 16) + [inputs]
          let summed = form.summedChannels(of: inputs, accuracy: accuracy)
          // The longest that will do, if any does.
          #expect(
            summed == lengths.last { form.error(summing: $0, of: inputs) <= accuracy },
            "\(form), \(inputs) inputs, \(accuracy)")
        }
      }
    }
  }

  /// Sums of 16 channels cost about a tenth of a layer; only the form that needs them may take them.
  @Test func leastSummedChannels() {
    for form in Self.forms {
      let isLargestOfSeven =
        form.kernel.width * form.kernel.height == 7 && max(form.tile.width, form.tile.height) == 6
      #expect(form.leastSummed == (isLargestOfSeven ? 16 : 32), "\(form)")
    }
  }

  /// What inputs and weights are made of.
  enum Numbers: CaseIterable {
    /// Inputs from 0 to 1, weights from −1 to 1.
    case positive
    /// Both normal, as most tests of precision have them.
    case normal
    /// Normal, but each input channel has a scale of its own and its weights the inverse.
    case scaled
  }

  @Test(arguments: allForms.indices, Numbers.allCases)
  func errorsStayBelowEstimate(_ index: Int, _ numbers: Numbers) throws {
    let form = Self.allForms[index]
    for level in [FORGE_AVX2, FORGE_AVX512] {
      guard let kernels = forge_kernels(level)?.pointee else { continue }
      for channels in [16, 48, 128, 512] {
        for summed in Set([channels, min(channels, 32), form.leastSummed]) {
          let error = Self.measuredError(
            form, kernels, channels: channels, summed: summed, numbers: numbers)
          #expect(error > 0)
          #expect(
            error < form.error(summing: summed, of: channels),
            "\(form), \(channels) channels, \(summed) at a time, \(numbers): \(error)")
        }
      }
    }
  }

  /// The relative L2 error of one convolution to 16 channels against double precision.
  private static func measuredError(
    _ form: WinogradTile, _ kernels: forge_kernel_table, channels: Int, summed: Int,
    numbers: Numbers
  ) -> Double {
    let (width, height, outputs) = (13, 14, 16)
    let (outWidth, outHeight) = (
      (width + form.stride - 1) / form.stride, (height + form.stride - 1) / form.stride
    )
    let (taps, lanes) = (form.kernel.width * form.kernel.height, 16)
    let seed = UInt64(channels)
    var image: [Float]
    var weights: [Float]
    if numbers == .positive {
      image = seededValues(count: width * height * channels, seed: seed, range: 0...1)
      weights = seededValues(count: outputs * taps * channels, seed: seed + 1)
    } else {
      image = normalValues(count: width * height * channels, seed: seed)
      weights = normalValues(count: outputs * taps * channels, seed: seed + 1)
    }
    if numbers == .scaled {
      let scales = channelScales(count: channels, decades: 6, seed: seed + 2)
      for i in image.indices { image[i] *= scales[i % channels] }
      for i in weights.indices { weights[i] /= scales[i % channels] }
    }
    let (top, left) = (form.kernel.height / 2, form.kernel.width / 2)

    // Blocked: [channels / 16][height][width][16].
    var input = [Float](repeating: 0, count: image.count)
    for pixel in 0..<width * height {
      for c in 0..<channels {
        input[(c / lanes * width * height + pixel) * lanes + c % lanes] =
          image[pixel * channels + c]
      }
    }
    var packed = [Float](repeating: 0, count: form.units * channels * lanes)
    forge_pack_winograd(
      weights, &packed, Int64(outputs), Int64(channels), Int32(form.tile.height),
      Int32(form.kernel.height), Int32(form.tile.width), Int32(form.kernel.width),
      Int32(form.stride), 16, 1)
    var output = [Float](repeating: 0, count: outWidth * outHeight * lanes)
    let bias = [Float](repeating: 0, count: lanes)

    var arguments = forge_winograd_arguments()
    arguments.in = view(base: 0, width: width, height: height, channels: channels)
    arguments.out = view(base: 1, width: outWidth, height: outHeight, channels: outputs)
    arguments.kernel_height = Int32(form.kernel.height)
    arguments.kernel_width = Int32(form.kernel.width)
    arguments.tile_height = Int32(form.tile.height)
    arguments.tile_width = Int32(form.tile.width)
    arguments.stride = Int32(form.stride)
    arguments.pad_top = Int32(top)
    arguments.pad_left = Int32(left)
    arguments.height = Int32(outHeight)
    arguments.width = Int32(outWidth)
    arguments.panel_width = 16
    arguments.chunk = 24
    arguments.summed = Int32(summed)
    arguments.transformed.base = 2
    arguments.products.base = 3
    let layout = forge_winograd_layout_of(&arguments)
    var transformed = [Float](repeating: .nan, count: Int(layout.transformed_floats))
    var products = [Float](repeating: .nan, count: Int(layout.products_floats))
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        transformed.withUnsafeMutableBufferPointer { transformed in
          products.withUnsafeMutableBufferPointer { products in
            packed.withUnsafeBufferPointer { packed in
              bias.withUnsafeBufferPointer { bias in
                arguments.weights = packed.baseAddress
                arguments.bias = bias.baseAddress
                let bases = [
                  input.baseAddress, output.baseAddress, transformed.baseAddress,
                  products.baseAddress,
                ]
                bases.withUnsafeBufferPointer { bases in
                  var frame = forge_frame(
                    bases: bases.baseAddress, image: 0, crops: nil, worker: 0, calls: 0, round: 0,
                    fault: nil)
                  kernels.winograd(&arguments, &frame, 0, forge_winograd_tiles(&arguments))
                }
              }
            }
          }
        }
      }
    }

    var (squares, all) = (0.0, 0.0)
    for y in 0..<outHeight {
      for x in 0..<outWidth {
        for o in 0..<outputs {
          var sum = 0.0
          for tap in 0..<taps {
            let row = y * form.stride + tap / form.kernel.width - top
            let column = x * form.stride + tap % form.kernel.width - left
            guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
            let (pixel, weight) = ((row * width + column) * channels, (o * taps + tap) * channels)
            for c in 0..<channels {
              sum += Double(image[pixel + c]) * Double(weights[weight + c])
            }
          }
          let difference = Double(output[(y * outWidth + x) * lanes + o]) - sum
          squares += difference * difference
          all += sum * sum
        }
      }
    }
    return (squares / all).squareRoot()
  }

  private static func view(base: Int32, width: Int, height: Int, channels: Int) -> forge_view {
    forge_view(
      base: base, height: Int32(height), width: Int32(width), channels: Int32(channels), offset: 0,
      image_stride: 0, block_stride: Int64(height * width * 16), row_stride: Int64(width * 16))
  }
}
