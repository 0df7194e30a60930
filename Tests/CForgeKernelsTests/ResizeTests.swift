import CForgeKernels
import Foundation
import Testing

/// A resize to try.
struct ResizeCase: Sendable, CustomStringConvertible {
  var input = (height: 1, width: 1, channels: 3)
  var output = (height: 1, width: 1)
  /// x, y, width, height.
  var crop: [Double]?
  var description: String { "\(input) to \(output), crop \(crop ?? [])" }

  static let all = [
    ResizeCase(input: (5, 7, 3), output: (5, 7)),
    ResizeCase(input: (5, 7, 3), output: (10, 21)),
    ResizeCase(input: (13, 17, 3), output: (5, 4)),
    ResizeCase(input: (13, 17, 1), output: (29, 4)),
    ResizeCase(input: (40, 30, 3), output: (7, 11)),
    ResizeCase(input: (1, 1, 3), output: (4, 6)),
    ResizeCase(input: (9, 8, 20), output: (1, 1)),
    ResizeCase(input: (64, 100, 4), output: (1, 3)),
    ResizeCase(input: (13, 17, 3), output: (6, 5), crop: [2, 3, 9, 7]),
    ResizeCase(input: (13, 17, 3), output: (6, 5), crop: [2.25, 3.5, 9.125, 7.75]),
    ResizeCase(input: (13, 17, 17), output: (20, 30), crop: [16.5, 12.5, 0.5, 0.5]),
    ResizeCase(input: (13, 17, 3), output: (7, 9), crop: [0, 0, 17, 13]),
    ResizeCase(input: (13, 17, 3), output: (3, 2), crop: [0, 0, 0.25, 13]),
  ]
}

private let modes = [
  FORGE_RESIZE_NEAREST, FORGE_RESIZE_BILINEAR, FORGE_RESIZE_ANTIALIASED,
]

/// The weights of the source pixels under output pixel `i` of an axis, as the header says.
private func weights(
  _ i: Int, mode: forge_resize_mode, size: Int, outputs: Int, start: Double, length: Double
) -> [(tap: Int, weight: Double)] {
  let scale = length / Double(outputs)
  let center = start + (Double(i) + 0.5) * scale
  func inside(_ tap: Double) -> Int { min(max(Int(tap), 0), size - 1) }
  switch mode {
  case FORGE_RESIZE_NEAREST: return [(inside(floor(center)), 1)]
  case FORGE_RESIZE_BILINEAR:
    let left = floor(center - 0.5)
    let fraction = center - 0.5 - left
    return [(inside(left), 1 - fraction), (inside(left + 1), fraction)]
  default:
    let support = max(scale, 1)
    let first = max(0, Int(floor(center - support + 0.5)))
    let last = min(size, Int(floor(center + support + 0.5)))
    let all = (first..<last).map { tap in
      (tap: tap, weight: max(0, 1 - abs((Double(tap) - center + 0.5) / support)))
    }
    let total = all.reduce(0) { $0 + $1.weight }
    return all.map { ($0.tap, $0.weight / total) }
  }
}

@Suite struct ResizeTests {
  private func expected(_ test: ResizeCase, _ mode: forge_resize_mode, _ image: Image) -> Expected {
    let crop = test.crop ?? [0, 0, Double(image.width), Double(image.height)]
    var expected = Expected()
    for y in 0..<test.output.height {
      let rows = weights(
        y, mode: mode, size: image.height, outputs: test.output.height, start: crop[1],
        length: crop[3])
      for x in 0..<test.output.width {
        let columns = weights(
          x, mode: mode, size: image.width, outputs: test.output.width, start: crop[0],
          length: crop[2])
        for c in 0..<image.channels {
          var sum = 0.0
          var magnitude = 0.0
          for row in rows {
            for column in columns {
              let product = Double(image[row.tap, column.tap, c]) * row.weight * column.weight
              sum += product
              magnitude += abs(product)
            }
          }
          let terms = rows.count * columns.count
          expected.append(
            sum, tolerance: terms == 1 ? 0 : tolerance(terms: terms, magnitude: magnitude))
        }
      }
    }
    return expected
  }

  @Test("every mode, from plain and from blocked images", arguments: ResizeCase.all)
  func resize(test: ResizeCase) {
    var random = SeededGenerator(seed: 61)
    let (height, width, channels) = test.input
    let image = Image(height, width, channels, random: &random)
    for mode in modes {
      let expected = expected(test, mode, image)
      for level in Level.available {
        for plain in [false, true] {
          let blockedInput = Blocked(image, images: 2)
          let plainInput = Plain(image, images: 2)
          let out = Blocked(
            test.output.height, test.output.width, channels, halo: Halo(top: 1, left: 1),
            images: 2)
          // Just what was asked for: a float before and one behind must stay.
          let scratchCount = Int(
            forge_resize_scratch(
              Int32(height), Int32(width), Int32(channels), Int32(test.output.height),
              Int32(test.output.width)))
          let scratch = Buffer(count: scratchCount + 2)
          var scratchView = forge_view()
          scratchView.base = 2
          scratchView.offset = 1
          let arguments = forge_resize_arguments(
            in: plain ? plainInput.view(base: 0) : blockedInput.view(base: 0),
            out: out.view(base: 1), in_is_plain: plain ? 1 : 0, mode: Int32(mode.rawValue),
            crop_slot: test.crop == nil ? -1 : 1, scratch: scratchView)
          let before = out.buffer.bits
          run(
            level.kernels.resize, arguments,
            bases: [plain ? plainInput.buffer : blockedInput.buffer, out.buffer, scratch],
            image: 1, crops: [.nan, .nan, .nan, .nan] + (test.crop ?? []), tiles: 0..<1)
          expect(
            out, image: 1, equals: expected, before: before,
            "\(level), mode \(mode.rawValue), plain \(plain), \(test)")
          #expect(scratch.pointer[0].bitPattern == canary)
          #expect(scratch.pointer[scratchCount + 1].bitPattern == canary)
        }
      }
    }
  }

  @Test("a resize has one tile, and zero tiles write nothing")
  func tiles() {
    var arguments = forge_resize_arguments()
    #expect(forge_resize_tiles(&arguments) == 1)
    for level in Level.available {
      run(level.kernels.resize, arguments, bases: [], tiles: 0..<0)
      run(level.kernels.resize, arguments, bases: [], tiles: 1..<1)
    }
  }
}
