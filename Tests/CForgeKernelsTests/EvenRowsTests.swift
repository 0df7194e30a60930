import CForgeKernels
import Foundation
import Testing

/// Rows multiplied by powers of two that make their norms alike.
@Suite struct EvenRowsTests {
  /// A row of an image: its numbers are `value` of their channel.
  private struct Row: Sendable {
    let name: String
    let value: @Sendable (_ channel: Int) -> Float
  }

  private static let rows: [Row] = {
    var random = SeededGenerator(seed: 5)
    let values = (0..<80).map { _ in random.value() }
    var rows = [-44, -38, -30, -20, -10, -3, 0, 1, 5, 9, 10, 18, 20, 30, 37, 38].map { decades in
      Row(name: "10^\(decades)") { Float(Double(values[$0]) * pow(10, Double(decades))) }
    }
    rows += [
      Row(name: "zero") { _ in 0 }, Row(name: "negative zero") { _ in -0.0 },
      Row(name: "one denormal") { $0 == 21 ? .leastNonzeroMagnitude : 0 },
      Row(name: "denormals") { Float(sign: .plus, exponent: -140, significand: 1 + values[$0]) },
      Row(name: "largest") { _ in .greatestFiniteMagnitude },
      Row(name: "one in many") { $0 == 33 ? 1e30 : 1e-8 * values[$0] },
      Row(name: "NaN") { $0 == 17 ? .nan : values[$0] },
      Row(name: "infinity") { $0 == 0 ? .infinity : values[$0] },
      Row(name: "both infinities") { $0 == 30 ? .infinity : $0 == 31 ? -.infinity : 0 },
      Row(name: "NaN among the largest") { $0 == 63 ? .nan : .greatestFiniteMagnitude },
    ]
    return rows
  }()

  private func view(_ blocked: Blocked, base: Int) -> forge_view {
    var view = blocked.view(base: base)
    view.image_stride = 0
    return view
  }

  @Test("rows of any scale", arguments: [16, 48, 80], [false, true])
  func scales(channels: Int, scaled: Bool) throws {
    // Powers of two, and 0 for an input without weights.
    let scales = (0..<channels).map { scaled ? $0 == 5 ? 0 : Float(exp2(-Double($0 % 7))) : 1 }
    for (shift, count) in [26, 3, 31, 32, 33, 70].enumerated() {
      let rows = (0..<count).map { Self.rows[($0 * (1 + shift) + shift) % Self.rows.count] }
      let values = rows.flatMap { row in (0..<channels).map { row.value($0) } }
      let image = Image(1, rows.count, channels, values: values)
      for level in Level.vectors {
        let (input, out) = (Blocked(image), Blocked(1, rows.count, channels))
        let factors = Buffer(count: rows.count + 2)
        let memory = Buffer(scales)
        var arguments = forge_even_rows_arguments()
        (arguments.in, arguments.out) = (view(input, base: 0), view(out, base: 1))
        (arguments.factors.base, arguments.factors.offset) = (2, 1)
        if scaled { arguments.input_scales = UnsafePointer(memory.pointer) }
        let call = Call(
          try #require(level.kernels.even_rows), arguments,
          bases: [input.buffer, out.buffer, factors, memory], out: out.buffer,
          tiles: forge_even_rows_tiles)
        #expect(call.tiles == Int64((rows.count + 31) / 32))
        let first = Call(
          try #require(level.kernels.row_factors), arguments,
          bases: [input.buffer, out.buffer, factors, memory], out: factors,
          tiles: forge_row_factors_tiles)
        let before = out.buffer.bits
        expectIndependentTiles(first, "\(level), \(channels)")
        first.runAll()
        call.runAll()
        var expected = Expected()
        for (r, row) in rows.enumerated() {
          let label: Comment = "\(level), \(row.name), \(channels) channels, scaled \(scaled)"
          let numbers = (0..<channels).map { Double(row.value($0)) * Double(scales[$0]) }
          let norm = numbers.reduce(0) { $0 + $1 * $1 }.squareRoot()
          let factor = Double(factors.pointer[1 + r])
          if !norm.isFinite {
            #expect(factor == -1, label)
          } else if norm == 0 {
            #expect(factor == 0, label)
          } else {
            #expect(log2(factor) == log2(factor).rounded(), label)
            if factor > 0x1p-126 && factor < 0x1p126 {
              let made = norm / factor
              #expect(made >= 0.5.squareRoot() * 0.9999 && made <= 2.0.squareRoot(), label)
            }
          }
          for number in numbers {
            // Exact, unless the result is denormal.
            expected.append(factor > 0 ? number / factor : 0, tolerance: 0x1p-149)
          }
        }
        expect(out, equals: expected, before: before, "\(level), \(channels), \(scaled)")
        #expect(factors.pointer[0].bitPattern == canary)
        #expect(factors.pointer[1 + rows.count].bitPattern == canary)
        expectIndependentTiles(call, "\(level), \(channels)")
      }
    }
  }

  /// Rows whose factors differ by 2 at most are added as they are.
  @Test("even rows are not copied", arguments: [1, 2, 33])
  func evenRows(count: Int) throws {
    for (scales, isCopied) in [
      ([Float(1), 1.4], false), ([3, 1.5], false), ([1, 4.1], true), ([1, 0], true),
      ([1, .nan], true), ([1e30, 1e30], false),
    ] where count > 1 || !isCopied {
      var values = [Float](repeating: 0.25, count: count * 16)
      for i in values.indices { values[i] *= scales[i / 16 % 2] }
      for level in Level.vectors {
        let (input, out) = (
          Blocked(Image(1, count, 16, values: values)), Blocked(1, count, 16)
        )
        let factors = Buffer(count: count)
        var arguments = forge_even_rows_arguments()
        (arguments.in, arguments.out) = (view(input, base: 0), view(out, base: 1))
        arguments.factors.base = 2
        let bases = [input.buffer, out.buffer, factors]
        let before = out.buffer.bits
        Call(
          try #require(level.kernels.row_factors), arguments, bases: bases, out: factors,
          tiles: forge_row_factors_tiles
        ).runAll()
        Call(
          try #require(level.kernels.even_rows), arguments, bases: bases, out: out.buffer,
          tiles: forge_even_rows_tiles
        ).runAll()
        #expect((out.buffer.bits != before) == isCopied, "\(level), \(count) rows, \(scales)")
      }
    }
  }
}
