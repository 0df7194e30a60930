import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Models whose sequences have any length up to a maximum, against Keras at some lengths;
/// Scripts/references/make_keras_lengths.py made them.
@Suite struct KerasLengthTests {
  struct Length: Decodable {
    struct Output: Decodable {
      let sizes: [Int]
      @Numbers var values: [Float]
    }

    @Numbers var input: [Float]
    let outputs: [Output]
  }

  static let expected = Result {
    try ImporterFixtures.decode(
      "KerasLengths/expected.safetensors", as: [String: [String: Length]].self)
  }

  private func imported(
    _ name: String, _ sizes: [String: [InputSize]]
  ) throws(ImportError) -> ImportedModel {
    try ImportedModel(
      keras: ImporterFixtures.path("KerasLengths/\(name)"), options: ImportOptions(sizes: sizes))
  }

  private static func sizes(_ name: String, _ maximum: Int = 40) -> [String: [InputSize]] {
    switch name.prefix(while: { $0 != "." }) {
    case "attention": ["tokens": [1, .upTo(maximum)]]
    case "strides": ["tokens": [1, .stepping(from: 4, through: maximum, by: 4), 13]]
    default: ["tokens": [1, .upTo(maximum), 13]]
    }
  }

  @Test(arguments: ["attention.keras", "recurrent.h5", "borders.keras", "strides.keras"])
  func lengthsGiveTheResultsOfKeras(_ name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    let imported = try imported(name, Self.sizes(name))
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(2)))
    #expect(network.maximumLength == 40)
    let lengths = try expected.keys.map { try #require(Int($0)) }.sorted()
    for length in lengths.reversed() + lengths {
      let given = try #require(expected["\(length)"])
      let results = try network.predict(["tokens": given.input])
      for (port, output) in zip(imported.outputs, given.outputs) {
        let result = try #require(results[port.name])
        let own = Array(output.sizes.dropFirst())
        #expect(result.shape.sizes == (own.count == 1 ? [1, 1] + own : own))
        expectClose(
          result.values, output.values, relativeL2: 1e-5, "\(name): \(port.name), \(length)")
      }
    }
  }

  @Test func layersThatDoNotFollowTheLengthAreNamed() throws {
    #expect {
      try imported("flat.keras", Self.sizes("flat"))
    } throws: { error in
      error is ImportError && "\(error)".contains("\"steps\" (Convolution1D)")
        && "\(error)".contains("the layer does not follow the length of a sequence")
    }
    let fixed = try imported("flat.keras", ["tokens": [1, 40, 13]]).model
    #expect(try fixed.compile().maximumLength == nil)
  }

  @Test func wrongOptionsAreErrors() throws {
    func kind(_ sizes: [InputSize], _ name: String = "tokens") -> ImportErrorKind? {
      do {
        _ = try imported("recurrent.h5", [name: sizes])
        return nil
      } catch { return error.kind }
    }
    for maximum in [0, -1, 7, .max] {
      #expect(kind([1, .upTo(maximum), 13]) == .unknownSize)
    }
    #expect(kind([.upTo(40), 40, 13]) == .unknownSize)
    #expect(kind([1, .upTo(40), .upTo(41)]) == .unknownSize)
    #expect(kind([1, .upTo(40), 13], "token") == .unknownName)
    #expect(kind([1, .upTo(40)]) == .invalidNode)
    #expect(kind([1, .upTo(40), 13]) == nil)
  }
}
