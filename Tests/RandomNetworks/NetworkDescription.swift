import ForgeTestSupport

/// A random network as Scripts/check random-networks writes it.
struct NetworkDescription: Decodable {
  /// An input of the model.
  struct Input: Decodable {
    /// The name.
    let name: String
    /// The sizes in memory order.
    let sizes: [Int]
    /// The index of the first value of the first example; the others follow.
    let offset: Int

    /// The number of values of an example.
    var count: Int { sizes.reduce(1, *) }
  }

  /// A parameter of a layer.
  struct Parameter: Decodable {
    let layer: String
    let type: String
    /// The index of its first value.
    let offset: Int
    let count: Int
  }

  /// The number that the network was drawn from.
  let seed: Int
  let inputs: [Input]
  let layers: [FixtureLayer]
  /// The names of the layers that are outputs.
  let outputs: [String]
  let parameters: [Parameter]
  /// The number of examples of the inputs.
  let examples: Int
  /// Whether it runs on each instruction set of the machine.
  let everyInstructionSet: Bool
}

/// A description that does not make sense.
struct DescriptionError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
