import Testing

/// Graphs at the edges of operators, against ONNX Runtime; Scripts/references/make_onnx_edges.py
/// made them.
@Suite struct ONNXEdgeTests {
  static let cases = ONNXCase.all(in: "Edges")

  @Test func thereAreCases() { #expect(Self.cases.count == 19) }

  @Test(arguments: cases)
  func equalsONNXRuntime(_ test: ONNXCase) throws { try test.check(in: "Edges") }
}
