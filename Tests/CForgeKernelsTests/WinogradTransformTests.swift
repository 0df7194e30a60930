import CForgeKernels
import Testing

/// The tables of Winograd's transforms, tested through the stages with single values.
@Suite struct WinogradTransformTests {
  /// The reference matrices are correct: they compute a filter in double precision.
  @Test(arguments: WinogradForm.all)
  func matricesComputeFilter(form: WinogradForm) {
    var random = SeededGenerator(seed: 3)
    for axis in [form.vertical, form.horizontal] where axis.alpha > 1 {
      let taps = axis.filter[0].count
      let signal = (0..<axis.alpha).map { _ in [Double(random.value())] }
      let filter = (0..<taps).map { _ in [Double(random.value())] }
      let (d, g) = (multiply(axis.input, signal), multiply(axis.filter, filter))
      let made = multiply(axis.output, zip(d, g).map { [$0[0] * $1[0]] })
      for i in 0..<axis.output.count {
        let wanted = (0..<taps).reduce(0) { $0 + signal[i + $1][0] * filter[$1][0] }
        #expect(abs(made[i][0] - wanted) < 1e-13, "\(form)")
      }
    }
  }

  /// A single 1 in a tile gives a column of B along each axis.
  @Test(arguments: WinogradForm.all)
  func inputTransform(form: WinogradForm) {
    let (vertical, horizontal) = (form.vertical, form.horizontal)
    let (rows, columns) = (form.stride * vertical.alpha, form.stride * horizontal.alpha)
    for y in 0..<rows {
      for x in 0..<columns {
        var test = WinogradCase(
          form, height: rows, width: columns, inputs: 1, outputs: 1, padding: (0, 0, 0, 0),
          panel: 16)
        test.chunk = 1
        var numbers = WinogradNumbers(test)
        numbers.numbers.input.values = numbers.numbers.input.values.map { _ in 0 }
        numbers.numbers.input[y, x, 0] = 1
        let own = y % form.stride * form.stride + x % form.stride
        for level in Level.vectors {
          let prepared = numbers.prepare(test, on: level)
          prepared.input.runAll()
          for unit in form.units {
            let at =
              prepared.start
              + (unit.y * horizontal.alpha + unit.x) * Int(prepared.layout.transformed_point)
              + unit.phase * 16
            let made = Double(prepared.transformed.pointer[at])
            let wanted =
              unit.phase == own
              ? vertical.input[unit.y][y / form.stride] * horizontal.input[unit.x][x / form.stride]
              : 0
            #expect(
              abs(made - wanted) <= 2e-7 * abs(wanted),
              "\(level), \(form): \(unit) of (\(y), \(x)): \(made), not \(wanted)")
          }
        }
      }
    }
  }

  /// A single product gives a column of A along each axis.
  @Test(arguments: WinogradForm.all)
  func outputTransform(form: WinogradForm) {
    let (vertical, horizontal) = (form.vertical, form.horizontal)
    var test = WinogradCase(
      form, height: form.stride * (form.tile.height - 1) + form.kernel.height,
      width: form.stride * (form.tile.width - 1) + form.kernel.width, inputs: 1, outputs: 1,
      padding: (0, 0, 0, 0), panel: 16)
    test.chunk = 1
    var numbers = WinogradNumbers(test)
    numbers.numbers.bias = [0]
    // One tap of 1: a filter that no point is without; its transform is divided out below.
    numbers.numbers.weights = numbers.numbers.weights.indices.map { $0 == 0 ? 1 : 0 }
    for level in Level.vectors {
      let prepared = numbers.prepare(test, on: level)
      let point = Int(prepared.layout.transformed_point)
      for i in 0..<vertical.alpha {
        for j in 0..<horizontal.alpha {
          for at in 0..<prepared.transformed.count { prepared.transformed.pointer[at] = 0 }
          prepared.transformed.pointer[prepared.start + (i * horizontal.alpha + j) * point] = 1
          prepared.output.runAll()
          // The first tap has no part in the point at infinity.
          let scale = vertical.filter[i][0] * horizontal.filter[j][0]
          for y in 0..<form.tile.height {
            for x in 0..<form.tile.width {
              let wanted = vertical.output[y][i] * horizontal.output[x][j] * scale
              let made = Double(prepared.out[y, x, 0])
              #expect(
                abs(made - wanted) <= 3e-7 * abs(wanted),
                "\(level), \(form): (\(y), \(x)) of point (\(i), \(j)): \(made), not \(wanted)")
            }
          }
        }
      }
    }
  }

  /// The point at infinity, by a filter whose last tap is 1.
  @Test(
    arguments: WinogradForm.all.filter { $0.vertical.hasInfinity && $0.horizontal.hasInfinity })
  func outputTransformAtInfinity(form: WinogradForm) {
    var test = WinogradCase(
      form, height: form.stride * (form.tile.height - 1) + form.kernel.height,
      width: form.stride * (form.tile.width - 1) + form.kernel.width, inputs: 1, outputs: 1,
      padding: (0, 0, 0, 0), panel: 16)
    test.chunk = 1
    var numbers = WinogradNumbers(test)
    numbers.numbers.bias = [0]
    let last = numbers.numbers.weights.count - 1
    numbers.numbers.weights = numbers.numbers.weights.indices.map { $0 == last ? 1 : 0 }
    for level in Level.vectors {
      let prepared = numbers.prepare(test, on: level)
      for at in 0..<prepared.transformed.count { prepared.transformed.pointer[at] = 0 }
      let point = Int(prepared.layout.points) - 1
      prepared.transformed.pointer[
        prepared.start + point * Int(prepared.layout.transformed_point)] = 1
      prepared.output.runAll()
      for y in 0..<form.tile.height {
        for x in 0..<form.tile.width {
          let isLast = y == form.tile.height - 1 && x == form.tile.width - 1
          #expect(prepared.out[y, x, 0] == (isLast ? 1 : 0), "\(level), \(form)")
        }
      }
    }
  }

  /// How an image is split into tiles, as documented in the header.
  @Test(arguments: WinogradForm.all)
  func tileLayout(form: WinogradForm) {
    for (height, width) in [(1, 1), (7, 13), (24, 6)] {
      for chunk in [1, 2, 5, 1 << 30] {
        for (inputs, panel) in [(1, 16), (16, 32), (33, 48), (70, 64)] {
          var arguments = forge_winograd_arguments()
          (arguments.height, arguments.width) = (Int32(height), Int32(width))
          arguments.kernel_height = Int32(form.kernel.height)
          arguments.kernel_width = Int32(form.kernel.width)
          arguments.tile_height = Int32(form.tile.height)
          arguments.tile_width = Int32(form.tile.width)
          arguments.in.channels = Int32(inputs)
          arguments.out.channels = 100
          arguments.panel_width = Int32(panel)
          arguments.chunk = Int32(chunk)
          arguments.stride = Int32(form.stride)
          let phases = form.phases.count
          let layout = forge_winograd_layout_of(&arguments)
          let columns = (width + form.tile.width - 1) / form.tile.width
          let tiles = columns * ((height + form.tile.height - 1) / form.tile.height)
          #expect(layout.columns == columns)
          #expect(layout.tiles == tiles)
          #expect(layout.chunk == min(chunk, tiles))
          #expect(layout.chunks == (tiles + min(chunk, tiles) - 1) / min(chunk, tiles))
          #expect(layout.phases == phases)
          #expect(layout.points == form.vertical.alpha * form.horizontal.alpha)
          // Room for all, an odd number of cache lines apart.
          #expect(
            layout.transformed_point >= phases * ((inputs + 15) / 16) * 16 * Int(layout.chunk))
          #expect(layout.products_point >= panel * Int(layout.chunk))
          #expect(layout.transformed_point % 32 == 16)
          #expect(layout.products_point % 32 == 16)
          #expect(layout.transformed_floats == layout.points * layout.transformed_point)
          #expect(layout.products_floats == layout.points * layout.products_point)
          let blocks = Int64(phases * ((inputs + 15) / 16))
          let panels = Int64((100 + panel - 1) / panel)
          #expect(forge_winograd_tiles(&arguments) == layout.chunks)
          #expect(forge_winograd_input_tiles(&arguments) == layout.chunks * blocks)
          #expect(forge_winograd_output_tiles(&arguments) == layout.chunks * panels)
        }
      }
    }
  }
}
