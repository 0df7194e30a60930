import Forge
import Testing

/// Rearrangements of channels that become one order of channels.
@Suite struct RecognizeChannelShuffleTests {
  private let name = "recognizeChannelShuffle"
  private let input = Input(width: 5, height: 3, channels: 24)

  private func shuffled(_ x: Tensor, groups: Int) -> Tensor {
    x --> Reshape(to: [3, 5, groups, 24 / groups]) --> Permute(order: [0, 1, 3, 2])
      --> Reshape(to: [3, 5, 24])
  }

  @Test func shuffles() throws {
    for groups in [2, 3, 12] {
      try expectRewrite(
        name, places: 1, leaving: ["gatherChannels"], inputs: [input],
        outputs: [shuffled(input, groups: groups)])
    }
  }

  @Test func slicesOfChannels() throws {
    for (start, end, step) in [(0, 12, 1), (5, 22, 1), (1, 24, 2), (23, 3, -4)] {
      try expectRewrite(
        name, places: 1, leaving: ["gatherChannels"], inputs: [input],
        outputs: [input --> Slice(starts: [start], ends: [end], axes: [2], steps: [step])])
    }
  }

  @Test func severalOrdersAreOne() throws {
    // A shuffle, a slice of it, and both joined.
    let slice = Slice(starts: [7], ends: [20], axes: [2])
    try expectRewrite(
      name, places: 3, leaving: ["gatherChannels"], inputs: [input],
      outputs: [shuffled(input, groups: 2) --> slice])
  }

  @Test func otherSlicesAndOrdersStay() throws {
    // Columns are cut too.
    try expectRewrite(
      name, places: 0, inputs: [input],
      outputs: [input --> Slice(starts: [1, 3], ends: [4, 9], axes: [1, 2])])
    // Rows and channels change places.
    try expectRewrite(
      name, places: 0, inputs: [input],
      outputs: [
        input --> Reshape(to: [3, 5, 8, 3]) --> Permute(order: [3, 1, 2, 0])
          --> Reshape(to: [3, 5, 24])
      ])
  }

  @Test func partsWithOtherReadersStay() throws {
    let split = input --> Reshape(to: [3, 5, 4, 6])
    let output = split --> Permute(order: [0, 1, 3, 2]) --> Reshape(to: [3, 5, 24])
    try expectRewrite(name, places: 0, inputs: [input], outputs: [output, split])
  }
}
