import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// User-defined layers, with arbitrary behavior.
@Suite struct OwnLayerTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  /// A layer that says whatever a test wants.
  private struct Odd: Layer {
    var name: String?
    var place = SourcePlace(fileID: "App/Odd.swift", line: 1, column: 1)
    var shape: [Int?]?
    var sizes: [Int]?
    var second = ParameterAxis.outputs

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      guard sizes != [] else { throw ShapeError(.invalidArgument, "no sizes at all") }
      for size in sizes ?? [] {
        _ = try lowering.parameter(ParameterType("things"), [.inputs: size, second: 2])
      }
      lowering.output = lowering.inputs[0]
      guard let shape else { return }
      let rule = CustomOperation(shapeRule: { _ in Shape(shape) }, body: { _, _ in })
      lowering.output = try lowering.apply(.custom(rule), to: lowering.inputs)
    }
  }

  @Test func userDefinedLayer() {
    let odd = Odd(name: "odd", sizes: [5])
    let model = Model(input: input, output: input --> odd --> Odd() --> odd)
    #expect(mistakes(model).isEmpty)
    #expect(
      wiring(model) == [
        "input", "odd = Odd(input)", "__Odd_2__ = Odd(odd)", "odd = Odd(__Odd_2__)",
      ])
    #expect(model.summary().hasSuffix("Total parameters: 10"))
    #expect(wiring(Model() --> (odd --> Softmax(name: "a"))).last == "a = Softmax(odd)")
  }

  @Test func sharingRequiresEqualFields() {
    let model = Model(
      input: input, output: input --> Odd(name: "odd", sizes: [5]) --> Odd(name: "odd", sizes: [6]))
    #expect(
      mistakes(model).map { $0.split(separator: "\n")[0] } == [
        "layer 2 \"odd\" (Odd): the name \"odd\" has two definitions"
      ])
  }

  @Test func invalidShapes() {
    let needs = "received  12×8×3 (width×height×channels) from \"input\""
    let empty = """
      layer 1 "__Odd_1__" (Odd): the output would be empty
        \(needs)
        needs     every size to be at least 1
      """
    for shape in [[0], [4, 0, 3], [4, nil, -1], [.min, .min]] as [[Int?]] {
      #expect(mistakes(input, input --> Odd(shape: shape) --> Softmax()) == [empty])
    }
    let large = """
      layer 1 "__Odd_1__" (Odd): the output would be too large
        \(needs)
        needs     at most 1099511627776 elements
      """
    for shape in [[.max], [.max, .max, .max], [1 << 41, nil], [1 << 20, nil, 1 << 21]] as [[Int?]] {
      #expect(mistakes(input, input --> Odd(shape: shape) --> Softmax()) == [large])
    }
    for rank in [0, 9, 1000] {
      #expect(
        mistakes(input, input --> Odd(shape: Array(repeating: 1, count: rank))) == [
          """
          layer 1 "__Odd_1__" (Odd): rank is out of range
            received  rank: \(rank)
            needs     1 to 8 axes
          """
        ])
    }
  }

  @Test func invalidParameters() {
    for size in [.max, 1 << 40] {
      #expect(
        mistakes(input, input --> Odd(name: "odd", sizes: [size]) --> Dense(neurons: 0)) == [
          """
          layer 1 "odd" (Odd): the things would be too large
            received  \(size)×2 [I][O]
            needs     at most 1099511627776 values
          """
        ])
    }
    for size in [0, -1, .min] {
      #expect(
        mistakes(input, input --> Odd(name: "odd", sizes: [size])) == [
          """
          layer 1 "odd" (Odd): the things would be empty
            received  \(size)×2 [I][O]
            needs     every size to be at least 1
          """
        ])
    }
    #expect(
      mistakes(input, input --> Odd(name: "odd", sizes: [1, 2])) == [
        """
        layer 1 "odd" (Odd): the layer has two parameters called things
          received  12×8×3 (width×height×channels) from "input"
          needs     a type of its own for each, as sources find parameters by type
        """
      ])
    #expect(
      mistakes(input, input --> Odd(name: "odd", sizes: [4], second: .inputs)) == [
        """
        layer 1 "odd" (Odd): the things name an axis twice
          received  4×2 [I][I]
          needs     each axis once, as sources find values by their axes
        """
      ])
    #expect(
      mistakes(input, input --> Odd(name: "odd", sizes: [])) == [
        """
        layer 1 "odd" (Odd): no sizes at all
          received  12×8×3 (width×height×channels) from "input"
        """
      ])
  }

  @Test func invalidCosts() {
    let large = Input(width: 1 << 19, height: 1 << 19, channels: 1)
    let kernel = (width: 1 << 15, height: 1 << 15)
    let output =
      large --> Convolution(kernel: kernel, channels: 1, name: "a")
      --> Convolution(kernel: kernel, channels: 1, name: "b")
    let model = Model(input: large, output: output)
    #expect(model.summary(.detailed).hasSuffix("Total multiply-adds: \(Int.max)"))
  }

  @Test func throwingShapeRule() {
    struct Refusal: Error, CustomStringConvertible {
      let description = "only squares"
    }
    let custom = Custom(shape: { _ in throw Refusal() }, name: "mine", body: { _, _ in })
    #expect(
      mistakes(input, input --> custom --> Softmax()) == [
        """
        layer 1 "mine" (Custom): the shape rule of the custom layer failed
          received  only squares
        """
      ])
    #expect(mistakes(input, input --> Custom(shape: { $0[0] }, body: { _, _ in })) == [])
    let absurd = Custom(shape: { _ in Shape(sizes: [.max, 2]) }, name: "mine", body: { _, _ in })
    #expect(
      mistakes(input, input --> absurd) == [
        """
        layer 1 "mine" (Custom): the output would be too large
          received  12×8×3 (width×height×channels) from "input"
          needs     at most 1099511627776 elements
        """
      ])
  }
}
