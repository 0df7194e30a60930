import Forge
import Testing

/// Taps of dilated kernels that read nothing but padding.
@Suite struct DropUnreachedTapsTests {
  private let name = "dropUnreachedTaps"
  private let input = Input(width: 11, height: 7, channels: 6)

  private func expect(
    _ places: Int, _ convolution: Convolution, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      name, places: places, leaving: ["convolution"], inputs: [input],
      outputs: [input --> convolution], sourceLocation: sourceLocation)
  }

  @Test func onlyTheMiddleTapIsLeft() throws {
    try expect(
      1, Convolution(kernel: (3, 3), channels: 5, dilation: (12, 12)))
    // The middle tap alone, with a stride.
    try expect(
      1,
      Convolution(
        kernel: (3, 3), channels: 5, stride: (2, 2),
        dilation: (13, 13), padding: .explicit(top: 13, left: 13, bottom: 13, right: 13)))
  }

  @Test func oneAxis() throws {
    try expect(1, Convolution(kernel: (3, 3), channels: 5, dilation: (8, 8)))
    try expect(1, Convolution(kernel: (5, 3), channels: 5, dilation: (2, 7)))
  }

  @Test func someTapsOfAnAxis() throws {
    // Of five rows of taps the outer two are never inside.
    try expect(1, Convolution(kernel: (1, 5), channels: 5, dilation: (1, 4)))
  }

  @Test func reachedTapsStay() throws {
    try expect(0, Convolution(kernel: (3, 3), channels: 5, dilation: (6, 6)))
    try expect(0, Convolution(kernel: (3, 3), channels: 5))
    // The last row of taps reads the first row of pixels in the first window.
    try expect(
      0,
      Convolution(
        kernel: (1, 3), channels: 5, dilation: (1, 6),
        padding: .explicit(top: 12, left: 0, bottom: 12, right: 0)))
  }

  @Test func parametersKeepTheirShape() throws {
    // The loader still reads 3×3 taps.
    let model = Model(
      input: input,
      output: input
        --> Convolution(
          kernel: (3, 3), channels: 5, dilation: (12, 12), name: "conv"))
    let count = model.layers.reduce(0) { $0 + $1.parameterCount }
    #expect(count == 275)
    #expect(try report(of: model).places(name) == 1)
  }
}
