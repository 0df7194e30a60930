import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct UnaryLayerTests {
  @Test(
    arguments: [
      (.thresholdedReLU(alpha: .nan), "thresholdedReLU(alpha: nan)", "a finite alpha"),
      (.celu(alpha: 0), "celu(alpha: 0.0)", "a finite alpha other than 0"),
      (.celu(alpha: .infinity), "celu(alpha: inf)", "a finite alpha other than 0"),
      (.swish(beta: -.infinity), "swish(beta: -inf)", "a finite beta"),
      (
        .shrink(bias: 1, lambda: .nan), "shrink(bias: 1.0, lambda: nan)",
        "a finite bias and lambda"
      ),
      (
        .scaledELU(alpha: .nan, gamma: 1), "scaledELU(alpha: nan, gamma: 1.0)",
        "a finite alpha and gamma"
      ),
      (
        .scaledTanh(alpha: .infinity, beta: 1), "scaledTanh(alpha: inf, beta: 1.0)",
        "a finite alpha and beta"
      ),
      (
        .parametricSoftplus(alpha: 1, beta: .nan), "parametricSoftplus(alpha: 1.0, beta: nan)",
        "a finite alpha and beta"
      ),
    ] as [(UnaryFunction, String, String)])
  func badArguments(function: UnaryFunction, received: String, needs: String) {
    expectError(
      Unary(function), [image(7, 5, 3)], .invalidArgument,
      """
      function is out of range
        received  function: \(received)
        needs     \(needs)
      """)
  }

  @Test func choicesOfUnknownSizes() throws {
    let shapes = [image(nil, nil, 1), image(nil, nil, 3), Shape(sizes: [1])]
    #expect(try Where().outputShape(for: shapes) == image(nil, nil, 3))
  }
}
