import ForgeMacros

/// Predicts with a network whose sizes are part of its Swift type.
@main struct CheckedNetwork {
  static func main() async throws {
    print(Digits.Network.model.summary())
    // Random weights: this example is about shapes.
    let digits = try Digits.Network(parameters: RandomParameters(seed: 1))

    // A picture of 28×28 pixels; another size would not compile.
    let picture = FixedImage<28, 28, 1>(repeating: 0.5)
    let classes: FixedVector<10> = try digits.predict(picture)
    print("most likely:", classes.top(k: 1)[0].index)

    // The same network, pipelined.
    let runner = try Runner(digits.compiled, inflightBuffers: 2)
    let again = try await runner.predict(Digits.Network.request(picture))
    print("the runner agrees:", again == classes)
  }
}
