import Forge
import Testing

/// Reshapes that undo others.
@Suite struct DropReshapesBackTests {
  @Test func aReshapeBackIsTheValueItself() throws {
    let input = Input(width: 4, height: 3, channels: 5)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 6) --> Reshape(to: [8, 9])
      --> Reshape(to: [3, 4, 6]) --> Convolution(kernel: (3, 3), channels: 2)
    try expectRewrite(
      "dropReshapesBack", places: 1, leaving: ["convolution", "convolution"],
      inputs: [input], outputs: [output])
  }

  @Test func anotherShapeStays() throws {
    let input = Input(width: 4, height: 3, channels: 5)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 6) --> Reshape(to: [8, 9])
      --> Reshape(to: [4, 3, 6]) --> Convolution(kernel: (3, 3), channels: 2)
    try expectRewrite("dropReshapesBack", places: 0, inputs: [input], outputs: [output])
  }
}
