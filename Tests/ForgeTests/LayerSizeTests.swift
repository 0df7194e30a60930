import Forge
import ForgeTestSupport
import Testing

/// Every layer on odd, prime and non-square sizes and on channel counts around the block width.
@Suite struct LayerSizeTests {
  static let channels = [1, 3, 15, 16, 17, 33, 64, 65]
  static let sizes = [(1, 1), (3, 2), (7, 5), (2, 11), (13, 1), (1, 17)]

  @Test(arguments: LayerCase.all)
  func layersMatchReference(_ layer: LayerCase) throws {
    for (name, network) in layer.networks {
      try tryAllSizes("\(layer) \(name)", network)
    }
  }

  private func tryAllSizes(_ name: String, _ network: LayerCase.Network) throws {
    let sets = CompileOptions.InstructionSet.present
    for (i, channels) in Self.channels.enumerated() {
      for (j, size) in Self.sizes.enumerated() {
        // Wide tensors on small images only, so that the reference stays quick.
        if channels > 33, size.0 * size.1 > 24 { continue }
        let input = Input(width: size.0, height: size.1, channels: channels)
        // A single output is not an image to measure an error on: it may lie near 0 by chance.
        let outputs = Self.channels[1 + (i * 3 + j * 5) % (Self.channels.count - 1)]
        let model = Model(input: input, output: network(input, channels, outputs))
        let options = CompileOptions(
          verify: .samples(2, seed: UInt64(i)), accuracy: 5e-6,
          instructionSet: sets[(i + j) % sets.count])
        try expectAgreement(
          model, options: options, relativeL2: 5e-6,
          "\(name), \(size.0)×\(size.1)×\(channels)")
      }
    }
  }

  @Test func colorLayersMatchReference() throws {
    for size in Self.sizes {
      for channels in [3, 4] {
        let input = Input(width: size.0, height: size.1, channels: channels)
        let swapped = input --> SwapRedBlue()
        try expectAgreement(Model(input: input, output: swapped))
        if channels == 4 { continue }
        let mean = input --> SubtractMeanColor(red: 0.25, green: -0.5, blue: 0.125)
        let gray = mean --> Grayscale()
        try expectAgreement(Model(inputs: [input], outputs: [gray, mean]))
      }
    }
  }

  /// Tensors of one, two, four and five axes through every layer that accepts them.
  @Test func otherRanksMatchReference() throws {
    for sizes in [[17], [5, 3], [2, 3, 5, 7], [3, 1, 2, 4, 5], [2, 1, 2, 1, 2, 1, 2, 3]] {
      let input = Input(shape: sizes)
      let functions = LayerCase.functions.map { input --> Activation($0) } --> Average()
      let normalized =
        functions --> BatchNormalization() --> Scale(by: [2]) --> Add(constant: [0.5])
      let order = Array(sizes.indices.reversed())
      let permuted = normalized --> Permute(order: order) --> Softmax()
      let joined = Concatenate([permuted, permuted --> LogSoftmax()], axis: 0)
      let dense = joined --> Dense(neurons: 7, activation: .relu)
      let again = dense --> Reshape(to: [7])
      try expectAgreement(
        Model(inputs: [input], outputs: [again, joined, normalized]), relativeL2: 2e-6,
        "\(sizes)")
    }
  }
}
