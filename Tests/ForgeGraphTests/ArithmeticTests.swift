import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// Operators and functions on tensors.
@Suite struct ArithmeticTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func wired(_ output: Tensor) -> [String] {
    wiring(Model(input: input, output: output))
  }

  /// The layer that made a tensor.
  private func layer(_ tensor: Tensor) -> (any Layer)? {
    if case .layer(let layer) = tensor.source { layer } else { nil }
  }

  @Test func operatorsBetweenTensors() {
    let a = input --> Activation(.relu, name: "a")
    let b = input --> Activation(.tanh, name: "b")
    #expect(wired(a + b).last == "__Add_3__ = Add(a, b)")
    #expect(wired(b - a).last == "__Subtract_3__ = Subtract(b, a)")
    #expect(wired(a * b).last == "__Multiply_3__ = Multiply(a, b)")
    #expect(wired(max(a, b)).last == "__Maximum_3__ = Maximum(a, b)")
    #expect(wired(min(b, a)).last == "__Minimum_3__ = Minimum(b, a)")
    for result in [a + b, b - a, a * b, max(a, b), min(b, a)] {
      #expect(result.shape == image(12, 8, 3))
      #expect(mistakes(input, result) == [])
    }
  }

  @Test func operatorsWithNumbers() throws {
    let weight: Float = 0.75
    #expect((layer(input + 2) as? Add)?.constant == [2])
    #expect((layer(weight + input) as? Add)?.constant == [0.75])
    #expect((layer(input - 3) as? Subtract)?.constant == [3])
    #expect((layer(input * weight) as? Multiply)?.constant == [0.75])
    #expect((layer(2 * input) as? Multiply)?.constant == [2])
    #expect((layer(input / 4) as? Multiply)?.constant == [0.25])
    #expect((layer(-input) as? Multiply)?.constant == [-1])
    let reversed = try #require(layer(1 - input) as? Scale)
    #expect(reversed.factors == [-1])
    #expect(reversed.bias == [1])
    let results = [
      input + 2, weight + input, input - 3, input * weight, 2 * input, input / 4, -input, 1 - input,
    ]
    for result in results {
      #expect(result.inputs.map { $0 === input } == [true])
      #expect(result.shape == image(12, 8, 3))
      #expect(mistakes(input, result) == [])
    }
  }

  @Test func operatorsBindTighterThanChains() {
    let a = input --> Activation(.relu, name: "a")
    #expect(
      wired(input * 2 - a --> Softmax(name: "s")) == [
        "input", "a = Activation(input)", "__Multiply_2__ = Multiply(input)",
        "__Subtract_3__ = Subtract(__Multiply_2__, a)", "s = Softmax(__Subtract_3__)",
      ])
  }

  @Test func gatePerChannel() {
    let gate = input --> GlobalAveragePooling(name: "mean") --> Sigmoid(name: "gate")
    #expect((input * gate).shape == image(12, 8, 3))
    #expect(wired(input * gate).last == "__Multiply_3__ = Multiply(input, gate)")
  }

  @Test func operatorHasPlaceOfNewestOperand() throws {
    let early = input --> Activation(.relu)
    let late = input --> MaxPooling(2); let line = #line
    for sum in [early + late, late + early, -late, late * 2] {
      let place = try #require(layer(sum)).place
      #expect(place.description == "ForgeGraphTests/ArithmeticTests.swift:\(line):36")
    }
    let largest = max(early, input); let next = #line
    #expect(
      try #require(layer(largest)).place.description
        == "ForgeGraphTests/ArithmeticTests.swift:\(next):22")
  }

  @Test func mistakesOfOperatorsSayWhosePlaceTheyHave() {
    let small = input --> MaxPooling(2, name: "small"); let line = #line
    let model = Model(input: input, output: small + input)
    #expect(
      mistakes(model) == [
        """
        layer 2 "__Add_2__" (Add): the inputs do not match
          received  6×4×3 (width×height×channels) from "small"
                    12×8×3 (width×height×channels) from "input"
          needs     sizes that are equal along each axis, or 1 where they differ
          place     that of "small", as the operator + does not know its own
        """
      ])
    #expect(places(model) == ["ForgeGraphTests/ArithmeticTests.swift:\(line):37"])
  }

  @Test func numbersThatAreNotFiniteAreMistakes() {
    let text = mistakes(input, input / 0)
    #expect(
      text == [
        """
        layer 1 "__Multiply_1__" (Multiply): constant is out of range
          received  constant: inf
          needs     a finite number
          place     that of "input", as the operator / does not know its own
        """
      ])
    #expect(mistakes(input, input + .nan).count == 1)
    #expect(mistakes(input, 1 - input * .infinity).count == 1)
  }

  @Test func arithmeticAfterMistakesIsNotReported() {
    let wrong = input --> Dense(neurons: 0, name: "fc")
    #expect(
      problems(Model(input: input, output: -(wrong + 1) * wrong)).map { $0.layer?.name } == ["fc"])
    struct Sneaky: Step {}
    let foreign = input --> Sneaky()
    #expect(mistakes(input, foreign + foreign).count == 1)
    let none: [Tensor] = []
    #expect(mistakes(input, [input, -(none --> Block([]))] --> Add()).count == 1)
  }

  @Test func minimumAndMaximumOfNumbersAreSwifts() {
    #expect(max(3, 5) == 5)
    #expect(min(2.5, 1.5) == 1.5)
  }
}
