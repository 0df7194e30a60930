import ForgeLoaders
import ForgeShapes
import Testing

@Suite struct ParameterValuesTests {
  @Test func returnsValues() throws {
    let values = ParameterValues([1, 2, 3], layout: .keras, sizes: [3], origin: "here")
    #expect(values.count == 3)
    #expect(values.layout == .keras)
    #expect(values.sizes == [3])
    #expect(values.origin == "here")
    #expect(try values.storedFloats() == [1, 2, 3])
    #expect(try ParameterValues([]).storedFloats() == [])
    #expect(ParameterValues([]).origin == "memory")
  }

  @Test func acceptsBytesOfAnyType() throws {
    let halves = try ParameterValues(bytes: [0x00, 0x3c, 0x00, 0xc0], elementType: .float16)
    #expect(halves.count == 2)
    #expect(halves.elementType == .float16)
    #expect(try halves.storedFloats() == [1, -2])
    let error = try loadError {
      _ = try ParameterValues(bytes: [1, 2, 3], elementType: .float16)
    }
    #expect(
      error.description == """
        memory: the bytes are not a whole number of values
          received  3 bytes
          needs     a multiple of 2 for f16
        """)
  }
}

@Suite struct ParameterDictionaryTests {
  private let source = ParameterDictionary(
    ["conv": [.weights: [1, 2], .biases: [3]], "bn": [.gamma: [4]]], layout: .keras)

  @Test func findsParametersByNameAndType() throws {
    let weights = try #require(try source.parameter(for: Specs.convolution("conv", 1, 1, 1, 2)))
    #expect(try weights.storedFloats() == [1, 2])
    #expect(weights.layout == .keras)
    #expect(try source.parameter(for: Specs.perChannel("bn", [.beta], 1)[0]) == nil)
    #expect(try source.parameter(for: Specs.biases("none", 1)) == nil)
    #expect(source.availableNames == ["bn", "conv"])
    #expect(source.goesByName)
  }

  @Test func reportsCountMismatch() throws {
    let error = try loadError {
      _ = try source.parameter(for: Specs.convolution("conv", 2, 1, 1, 2))
    }
    #expect(error.kind == .wrongCount)
    #expect(
      error.description == """
        the weights of "conv" have the wrong number of values
          received  2 values
          needs     4 values, 2×1×1×2 [O][H][W][I]
        """)
  }
}

@Suite struct CombinedParametersTests {
  private struct ByOrder: ParameterSource {
    var specs: [ParameterSpec] = []
    var goesByName: Bool { false }
    func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
      ByOrder(specs: specs)
    }
    func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
      specs.firstIndex(of: spec).map { ParameterValues([Float($0)]) }
    }
  }

  private let first = ParameterDictionary(["a": [.biases: [1]]])
  private let second = ParameterDictionary(["a": [.biases: [2], .gamma: [3]], "b": [.biases: [4]]])

  @Test func usesFirstMatchingSource() throws {
    let source = try CombinedParameters([first, second]).prepared(for: [])
    #expect(try #require(try source.parameter(for: Specs.biases("a", 1))).storedFloats() == [1])
    let gamma = Specs.perChannel("a", [.gamma], 1)[0]
    #expect(try #require(try source.parameter(for: gamma)).storedFloats() == [3])
    #expect(try #require(try source.parameter(for: Specs.biases("b", 1))).storedFloats() == [4])
    #expect(try source.parameter(for: Specs.biases("c", 1)) == nil)
    #expect(source.availableNames == ["a", "b"])
    #expect(source.goesByName)
  }

  @Test func preparesOnlyRemainingParameters() throws {
    let specs = [Specs.biases("x", 1), Specs.biases("a", 1), Specs.biases("y", 1)]
    let source = CombinedParameters([first, ByOrder()])
    #expect(!source.goesByName)
    let ready = try source.prepared(for: specs)
    let values = try specs.map { try #require(try ready.parameter(for: $0)).storedFloats() }
    #expect(values == [[0], [1], [1]])
  }

  @Test func renames() throws {
    let renamed = second.renamed { $0 == "z" ? "b" : nil }
    #expect(try #require(try renamed.parameter(for: Specs.biases("z", 1))).storedFloats() == [4])
    #expect(try renamed.parameter(for: Specs.biases("b", 1)) == nil)
    #expect(renamed.availableNames == [])
    let ready = try ByOrder().renamed { $0 + "!" }.prepared(for: [Specs.biases("q", 1)])
    #expect(try #require(try ready.parameter(for: Specs.biases("q", 1))).storedFloats() == [0])
    #expect(!ready.goesByName)
  }

  @Test func addsAPrefix() throws {
    let source = ParameterDictionary(["net/a": [.biases: [5]], "b": [.biases: [6]]])
      .prefixed("net/")
    #expect(try #require(try source.parameter(for: Specs.biases("a", 1))).storedFloats() == [5])
    #expect(try source.parameter(for: Specs.biases("b", 1)) == nil)
    #expect(source.availableNames == ["a"])
  }
}
