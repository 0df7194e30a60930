import ForgeImporters
import Testing

@Suite struct ImportProblemTests {
  @Test func allNodesAreListedByOperator() {
    let nodes =
      (1...5).map { UnsupportedNode(type: "Einsum", detail: nil, name: "e\($0)") }
      + [UnsupportedNode(type: "Pad", detail: "mode \"wrap\"", name: "p")]
    #expect(
      ImportError.unsupported(nodes, path: "net.onnx").description == """
        net.onnx: the model uses features that Forge does not support
          received  Einsum: 5 nodes ("e1", "e2", "e3", …)
                    Pad with mode "wrap": 1 node ("p")
        """)
  }
}
