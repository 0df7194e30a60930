import CForgeKernels
import Testing

/// Checks that what is fetched for the next step, or that nothing is, changes no bit and writes nothing.
private func check(_ label: String, _ bits: (Ahead) -> [UInt32]) {
  let memory = Buffer(count: 70_000)
  let before = memory.bits
  let alone = bits(.nothing)
  for floats in [0, 1, 15, 16, 17, 1000, 4096, 70_000] {
    #expect(bits(.memory(memory, floats: floats)) == alone, "\(label): \(floats) floats")
  }
  #expect(bits(.bias) == alone, "\(label): the bias")
  #expect(memory.bits == before, "\(label): what is fetched was written")
}

/// Prefetching of later weights while a step runs: the next panel and the start of the next step.
///
/// No result may depend on it.
@Suite struct PrefetchTests {
  @Test("convolutions of images, of rows and of single pixels", arguments: [16, 32, 48, 64])
  func convolution(panel: Int) {
    for (height, width, kernel, segments) in [
      (5, 23, 3, 1), (1, 57, 1, 1), (1, 57, 1, 3), (1, 1, 1, 1), (4, 4, 4, 1), (1, 2, 1, 2),
    ] {
      for (inputs, outputs) in [(3, 5), (40, 70), (64, 200)] {
        let test = ConvolutionCase(
          height: height, width: width, inputs: inputs, outputs: outputs, kernel: (kernel, kernel),
          panel: panel, segments: segments, activation: .relu, residual: true)
        let numbers = ConvolutionNumbers(test)
        for level in Level.available {
          check("\(level), \(test)") { next in
            let prepared = numbers.prepare(test, on: level, next: next)
            prepared.call.runAll()
            return prepared.out.buffer.bits
          }
        }
      }
    }
  }

  @Test("Winograd's convolutions, in one step and in two", arguments: WinogradForm.all)
  func winograd(form: WinogradForm) {
    var test = WinogradCase(
      form, height: 9, width: 11, inputs: 35, outputs: 70, panel: 32, activation: .relu)
    test.chunk = 2
    test.summed = 16
    let numbers = WinogradNumbers(test)
    for level in Level.vectors {
      check("\(level), \(test)") { next in
        let prepared = numbers.prepare(test, on: level, next: next)
        prepared.whole.runAll()
        return prepared.out.buffer.bits
      }
      check("\(level), \(test), two steps") { next in
        let prepared = numbers.prepare(test, on: level, next: next)
        prepared.input.runAll()
        prepared.output.runAll()
        return prepared.out.buffer.bits
      }
    }
  }

  @Test("Strassen's convolutions", arguments: [16, 32, 48, 64], [1, 2])
  func strassen(panel: Int, levels: Int) {
    for segments in [1, 3] {
      let test = StrassenCase(
        height: 7, width: 7, inputs: 64, outputs: levels == 1 ? 160 : 320, panel: panel,
        levels: levels, segments: segments)
      let numbers = StrassenNumbers(test)
      for level in Level.vectors {
        check("\(level), \(test)") { next in
          let prepared = numbers.prepare(test, on: level, next: next)
          prepared.call.runAll()
          return prepared.out.buffer.bits
        }
      }
    }
  }
}
