import Forge
import ForgeImages
import Testing

/// The sizes that pictures get for inputs.
@Suite struct PictureSizeTests {
  private func size(_ width: Int, _ height: Int, for input: Tensor) -> [Int]? {
    let model = Model(output: input --> Activation(.relu))
    return Size(
      of: Size(width: width, height: height), for: model.inputs[0].shape ?? Shape([]),
      open: model.openSizes?.axes[0] ?? []
    ).map { [$0.width, $0.height] }
  }

  @Test func fixedSizes() {
    #expect(size(500, 300, for: Input(width: 224, height: 192)) == [224, 192])
    #expect(size(500, 300, for: Input(shape: [7])) == nil)
    #expect(size(0, 300, for: Input(width: 224, height: 192)) == nil)
  }

  /// A picture keeps its size and proportion as far as the ranges and steps allow.
  @Test func openSizes() {
    let any = Input(width: .open("w", 1...512), height: .open("h", 1...512))
    #expect(size(500, 300, for: any) == [500, 300])
    #expect(size(1024, 300, for: any) == [512, 150])
    #expect(size(1000, 4000, for: any) == [128, 512])
    #expect(size(1, 100_000, for: any) == [1, 512])
    let steps = Input(
      width: .open("w", 32...512, step: 32), height: .open("h", 32...512, step: 32))
    #expect(size(500, 300, for: steps) == [512, 288])
    #expect(size(10, 47, for: steps) == [32, 32])
    #expect(size(.max, .max, for: steps) == [512, 512])
    let line = Input(width: .open("w", 8...320), height: 48)
    #expect(size(640, 30, for: line) == [320, 48])
    let square = Input(width: .open("n", 8...64), height: .open("n", 8...64))
    #expect(size(40, 20, for: square) == [40, 40])
  }
}
