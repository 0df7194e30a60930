import Forge
import Testing

/// Reshapes between layers of sequences, and the functions between them.
@Suite struct DropReshapesBackTests {
  private let name = "dropReshapesBack"

  @Test func convolutionsOfSequencesAreOneChainOfImages() throws {
    let input = Input(shape: [23, 5])
    let output =
      input --> Convolution1D(kernel: 3, channels: 7) --> BatchNormalization()
      --> Activation(.relu) --> MaxPooling1D(kernel: 2) --> Convolution1D(kernel: 2, channels: 4)
    // Two functions move, two reshapes to a sequence and back go.
    try expectRewrite(
      name, places: 4, leaving: ["convolution", "pooling", "convolution", "copy"],
      inputs: [input], outputs: [output])
  }

  @Test func otherReadersKeepTheSequence() throws {
    let input = Input(shape: [23, 5])
    let middle = input --> Convolution1D(kernel: 3, channels: 7)
    let output = middle --> Activation(.tanh) --> Convolution1D(kernel: 2, channels: 4)
    try expectRewrite(name, places: 0, inputs: [input], outputs: [middle, output])
  }
}
