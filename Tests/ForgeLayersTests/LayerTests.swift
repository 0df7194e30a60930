import ForgeLayers
import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Foundation
import Testing

@Suite struct LayerTests {
  /// The types of layers in Sources/Layers, read from their sources.
  private func declaredLayers() throws -> Set<String> {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let folder = tests.deletingLastPathComponent().appending(path: "Sources/Layers")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Set(
      files.flatMap { file in
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return text.matches(of: /public struct (\w+): \w*Layer\b/).map { String($0.output.1) }
      })
  }

  @Test func everyLayerHasTestCase() throws {
    let arguments = LayerCase.Arguments(1, 1, name: nil)
    let tested = LayerCase.all.flatMap { $0.layers(arguments).map { "\(type(of: $0))" } }
    let declared = try declaredLayers()
    #expect(declared.count > 30)
    #expect(declared.subtracting(tested) == [])
  }

  @Test(arguments: LayerCase.all)
  func summaryName(_ layer: LayerCase) {
    for made in layer.layers(LayerCase.Arguments(1, 1, name: nil)) {
      #expect(type(of: made).summaryName == layer.summaryName)
    }
  }

  @Test func summaryNamesFitTheirColumn() {
    // The column "Type" of a summary holds ten characters.
    let forges = LayerCase.all.filter { $0.summaryName != "GatherChannels" }
    #expect(forges.allSatisfy { $0.summaryName.count <= 10 })
  }

  @Test(arguments: LayerCase.all)
  func nameAndPlace(_ layer: LayerCase) {
    for made in layer.layers(LayerCase.Arguments(1, 1, name: "n")) {
      #expect(made.name == "n")
      #expect(made.place == SourcePlace(fileID: "App/Net.swift", line: 14, column: 7))
    }
    for made in layer.layers(LayerCase.Arguments(1, 1, name: nil)) { #expect(made.name == nil) }
  }

  @Test func sourceLocationIsInitializerLocation() {
    let layer = Softmax(); let line = #line
    #expect(layer.place.fileID == "ForgeLayersTests/LayerTests.swift")
    #expect(layer.place.line == line)
    #expect(layer.place.column == 24)
  }

  @Test func equalityRequiresFieldsAndSourceLocation() {
    func layer(kernel: Int) -> Convolution {
      Convolution(kernel: (kernel, 3), channels: 1, name: "a")
    }
    #expect(layer(kernel: 3) == layer(kernel: 3))
    #expect(layer(kernel: 3) != layer(kernel: 5))
    // The same words at another place are another layer. (Inside a macro all places are one.)
    let first = Convolution(kernel: (3, 3), channels: 1, name: "a")
    let second = Convolution(kernel: (3, 3), channels: 1, name: "a")
    #expect(first != second)
  }

  @Test func chainsAreBlocks() {
    let block = Flatten().chained(to: Softmax()).chained(to: Dropout(rate: 0.5))
    #expect(block.steps.map { "\(type(of: $0))" } == ["Flatten", "Softmax", "Dropout"])
    let nested = Softmax().chained(to: block)
    #expect(nested.steps.map { "\(type(of: $0))" } == ["Softmax", "Block"])
  }

  @Test func userDefinedLayer() throws {
    /// `x·x`, composed of a primitive.
    struct Square: Layer {
      let name: String? = nil
      let place = SourcePlace(fileID: "App/Square.swift", line: 1, column: 1)
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        lowering.output = try lowering.apply(
          .binary(.multiply), to: lowering.inputs + lowering.inputs)
      }
    }
    #expect(Square.summaryName == "Square")
    #expect(try Lowered(Square(), image(7, 5, 3)).text == ["multiply x0, x0"])
    #expect(try Square().parameters(for: [image(7, 5, 3)]).isEmpty)
    #expect(try Square().multiplyAdds(for: [image(7, 5, 3)]) == 0)
  }

  @Test(
    arguments: [
      (Shape([]), ShapeError.Kind.shapeMismatch, "the input has 0 axes\n  needs     1 to 8 axes"),
      (
        Shape(sizes: Array(repeating: 1, count: 9)), .shapeMismatch,
        "the input has 9 axes\n  needs     1 to 8 axes"
      ),
      (
        image(7, 0, 3), .shapeMismatch,
        "the input is empty\n  needs     every size to be at least 1"
      ),
      (
        image(.max, 2, 3), .tooLarge,
        "the input is too large\n  needs     at most 1099511627776 elements"
      ),
    ] as [(Shape, ShapeError.Kind, String)])
  func impossibleInputShapes(input: Shape, kind: ShapeError.Kind, text: String) {
    expectError(Softmax(), [input], kind, text)
    expectError(Convolution(kernel: (3, 3), channels: 1), [input], kind, text)
  }

  /// Extreme arguments on every kind of shape: a result or an error, never a trap.
  @Test(
    arguments: [
      .min, -(1 << 32), -2, -1, 0, 1, 2, 3, 5, 1 << 10, 1 << 20, (1 << 20) + 1, 1 << 32, 1 << 62,
      .max,
    ] as [Int])
  func extremeArgumentsDoNotTrap(number: Int) {
    let shapes: [[Shape]] = [
      [], [Shape([])], [Shape(sizes: [5])], [Shape(sizes: [3, 3])], [image(7, 5, 3)],
      [image(nil, nil, 3)], [image(nil, nil, nil)], [image(7, 5, nil)],
      [image(1 << 20, 1 << 20, 1)], [image(1, 1, 1 << 40)], [image(1 << 40, nil, 1)],
      [image(.max, .max, .max)], [image(.min, -1, 0)], [Shape(sizes: [.max])],
      [Shape(sizes: Array(repeating: 2, count: 9))], [image(7, 5, 3), image(7, 5, 3)],
      [image(.max, 5, 3), image(.max, 5, 3)], [image(7, 5, 3), Shape([]), image(nil, 5, 3)],
    ]
    for x in [0, 1, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude] as [Float] {
      for layer in LayerCase.all.flatMap({ $0.layers(.init(number, x, name: "n")) }) {
        for inputs in shapes { exercise(layer, inputs) }
      }
    }
  }

  private func exercise(_ layer: some Layer, _ inputs: [Shape]) {
    guard let outline = try? LayerOutline(layer, inputs: inputs) else { return }
    #expect((try? SizeRule.bounded(outline.shape)) != nil, "\(layer) \(inputs)")
    #expect(outline.parameters.allSatisfy { $0.count > 0 })
    #expect(outline.multiplyAdds >= 0)
  }
}
