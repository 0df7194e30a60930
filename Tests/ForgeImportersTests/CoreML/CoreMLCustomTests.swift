import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Layers and models of classes that only the caller knows; make_coreml_models.py computed the
/// numbers.
@Suite struct CoreMLCustomTests {
  private static let path = ImporterFixtures.path("CoreML/custom.mlmodel")

  /// `tanh(strength · x) · w + bias` per channel.
  private static let swirl: CoreMLLayerBuilder = { layer, inputs in
    #expect(layer.className == "Swirl")
    #expect(layer.name == "mine")
    #expect(layer.about == "a test")
    #expect(layer.outputCount == 1)
    #expect(
      layer.parameters == [
        "strength": .number(0.75), "turns": .integer(-3), "count": .integer(1 << 40),
        "side": .text("left"), "isOn": .flag(true),
      ])
    #expect(layer.number("turns") == -3)
    #expect(layer.number("side") == nil)
    #expect(layer.weights.map(\.elementType) == [.float32, .float16])
    #expect(layer.weights.map(\.sizes) == [[4], [4]])
    let input = inputs[0]
    #expect(inputs.count == 1)
    #expect(input.sizes == [1, 4, 3, 5])
    #expect(input.axes == [2, 3, 1])
    return [
      input.with(
        input.tensor --> Scale(Float(layer.number("strength") ?? 0)) --> Activation(.tanh)
          --> Scale(by: layer.weights[0].floats, bias: layer.weights[1].floats))
    ]
  }

  private func problem(_ build: CoreMLLayerBuilder?) -> ImportError? {
    var options = ImportOptions()
    options.coreMLLayers["Swirl"] = build
    return #expect(throws: ImportError.self) {
      try ImportedModel(coreML: Self.path, options: options)
    }
  }

  @Test func aLayerOfLayers() throws {
    var options = ImportOptions()
    options.coreMLLayers["Swirl"] = Self.swirl
    _ = try CoreMLReferenceTests.check("custom", options: options)
  }

  /// The same in Swift, on the axes of the file.
  @Test func aLayerInSwift() throws {
    var options = ImportOptions()
    options.coreMLLayers["Swirl"] = { layer, inputs in
      let input = inputs[0].inFileOrder
      let (factors, bias) = (layer.weights[0].floats, layer.weights[1].floats)
      let area = input.sizes[2] * input.sizes[3]
      return [
        input.with(
          input.tensor
            --> Custom(name: layer.name) { inputs, output in
              for (index, value) in inputs[0].enumerated() {
                let channel = index / area
                output[index] = tanh(0.75 * value) * factors[channel] + bias[channel]
              }
            })
      ]
    }
    _ = try CoreMLReferenceTests.check("custom", options: options)
  }

  @Test func withoutItTheClassIsNamed() {
    let error = problem(nil)
    #expect(error?.kind == .unsupported)
    #expect(error?.received == #"custom Swirl: 1 node ("mine")"#)
  }

  @Test func resultsAreChecked() {
    let none = problem { _, _ in [] }
    #expect(none?.kind == .invalidNode)
    #expect(none?.received == "0 tensors for 1 outputs of the class Swirl")
    let other = problem { _, inputs in
      [ImportedTensor(inputs[0].tensor, sizes: [1, 4, 3, 6], axes: [2, 3, 1])]
    }
    #expect(other?.kind == .invalidNode)
    #expect(
      other?.received == "a result 5×3×4 (width×height×channels) with the sizes [1, 4, 3, 6] and "
        + "the axes 2, 3, 1")
    for axes in [[2, 3], [2, 3, 9], [2, 2, 1], [3, 2, 1], [nil, 3, 1]] {
      let wrong = problem { _, inputs in
        [ImportedTensor(inputs[0].tensor, sizes: [1, 4, 3, 5], axes: axes)]
      }
      #expect(wrong?.kind == .invalidNode, "\(axes)")
    }
    let mistake = problem { _, inputs in
      [inputs[0].with(inputs[0].tensor --> MaxPooling(kernel: (9, 9)))]
    }
    #expect(mistake?.kind == .invalidNode)
  }

  private struct Mistake: Error {}

  @Test func errorsAreTheCause() {
    let error = problem { _, _ in throw Mistake() }
    #expect(error?.headline == "the closure for a custom layer failed")
    #expect(error?.entry == #"Swirl "mine""#)
    #expect(error?.cause is Mistake)
    #expect(error?.path == Self.path)
    let own = problem { _, _ in throw ImportError(.unsupported, "not that one") }
    #expect(own?.headline == "not that one")
  }

  @Test func aModelOfAClass() throws {
    let path = ImporterFixtures.path("CoreML/custom_model.mlmodel")
    let missing = #expect(throws: ImportError.self) { try Model(coreML: path) }
    #expect(missing?.received == #"customModel Gain: 1 node ("y")"#)
    var options = ImportOptions()
    options.coreMLLayers["Gain"] = { model, inputs in
      #expect(model.parameters == ["gain": .number(-2.5), "raw": .bytes([1, 2])])
      #expect(model.weights.isEmpty)
      return [inputs[0].with(inputs[0].tensor --> Scale(Float(model.number("gain") ?? 0)))]
    }
    let imported = try ImportedModel(coreML: path, options: options)
    #expect(imported.outputs.map(\.sizes) == [[2, 3]])
    let network = try imported.model.compile()
    let input = imported.inputs[0].tensor([1, 2, 3, 4, 5, 6])
    let result: TensorValues = try #require(try network.predict(["x": input])["y"])
    #expect(imported.outputs[0].values(result) == [-2.5, -5, -7.5, -10, -12.5, -15])
  }

  @Test func whatTheAuthorSays() throws {
    var options = ImportOptions()
    options.coreMLLayers["Gain"] = { _, inputs in [inputs[0].with(inputs[0].tensor --> Scale(2))] }
    let metadata = try ImportedModel(
      coreML: ImporterFixtures.path("CoreML/custom_model.mlmodel"), options: options
    ).model.metadata
    #expect(metadata.about == "A gain")
    #expect(metadata.author == "Forge")
    #expect(metadata.license == "MIT")
    #expect(metadata.version == "1.2")
    #expect(metadata.producer == "coremltools 9.0")
    #expect(
      metadata.values == ["key": "value", "com.github.apple.coremltools.version": "9.0"])
  }
}
