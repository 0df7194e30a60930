import Forge
import ForgeImporters
import Testing

/// Trees of hostile files: errors, and no walk without an end.
@Suite struct ONNXTreeMistakeTests {
  /// Nodes of one tree: the mode, the feature and the children; leaves vote for target 0.
  private struct Nodes {
    var modes: [String] = []
    var features: [Int] = []
    var yes: [Int] = []
    var no: [Int] = []
    var votes: [Int] = []

    mutating func question(_ yes: Int, _ no: Int, feature: Int = 0, mode: String = "BRANCH_LEQ") {
      modes.append(mode)
      features.append(feature)
      self.yes.append(yes)
      self.no.append(no)
    }

    mutating func leaf() {
      votes.append(modes.count)
      question(0, 0, mode: "LEAF")
    }
  }

  private typealias W = ONNXWriter

  private static func attribute(_ name: String, ints: [Int]) -> W.Message {
    W.field(5, W.field(1, name) + W.field(8, ints.flatMap { W.varint($0) }) + W.field(20, 7))
  }

  private static func attribute(_ name: String, floats: [Float]) -> W.Message {
    let bytes = floats.flatMap { x in (0..<4).map { UInt8(x.bitPattern >> ($0 * 8) & 255) } }
    return W.field(5, W.field(1, name) + W.field(7, bytes) + W.field(20, 6))
  }

  private static func attribute(_ name: String, texts: [String]) -> W.Message {
    W.field(5, W.field(1, name) + texts.flatMap { W.field(9, $0) } + W.field(20, 8))
  }

  private static func file(
    _ nodes: Nodes, ids: [Int]? = nil, voteTarget: Int = 0, voteNode: Int? = nil
  ) -> [UInt8] {
    let count = nodes.modes.count
    let votes = voteNode.map { [$0] } ?? nodes.votes
    let node =
      W.field(1, "x") + W.field(2, "y") + W.field(3, "forest")
      + W.field(4, "TreeEnsembleRegressor") + W.field(7, "ai.onnx.ml")
      + attribute("nodes_modes", texts: nodes.modes)
      + attribute("nodes_treeids", ints: Array(repeating: 0, count: count))
      + attribute("nodes_nodeids", ints: ids ?? Array(0..<count))
      + attribute("nodes_featureids", ints: nodes.features)
      + attribute("nodes_values", floats: Array(repeating: 0, count: count))
      + attribute("nodes_truenodeids", ints: nodes.yes)
      + attribute("nodes_falsenodeids", ints: nodes.no)
      + attribute("target_treeids", ints: Array(repeating: 0, count: votes.count))
      + attribute("target_nodeids", ints: votes)
      + attribute("target_ids", ints: Array(repeating: voteTarget, count: votes.count))
      + attribute("target_weights", floats: votes.map { Float($0) })
    return W.model([node]) + W.field(8, W.field(1, "ai.onnx.ml") + W.field(2, 3))
  }

  private func refusal(_ bytes: [UInt8]) throws -> String {
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let error = #expect(throws: ImportError.self) { try ImportedModel(onnx: path) }
      return error?.description ?? ""
    }
  }

  @Test func mistakes() throws {
    var circle = Nodes()
    circle.question(1, 2)
    circle.question(0, 2)
    circle.leaf()
    #expect(try refusal(Self.file(circle)).contains("a path of tree 0 is wrong"))
    var itself = Nodes()
    itself.question(0, 1)
    itself.leaf()
    #expect(try refusal(Self.file(itself)).contains("a cycle through node 0"))
    var orphan = Nodes()
    orphan.question(1, 7)
    orphan.leaf()
    #expect(try refusal(Self.file(orphan)).contains("node 0 of tree 0 has no child"))
    var far = Nodes()
    far.question(1, 1, feature: 4)
    far.leaf()
    #expect(try refusal(Self.file(far)).contains("the trees read features that do not exist"))
    var negative = Nodes()
    negative.question(1, 1, feature: -1)
    negative.leaf()
    #expect(try refusal(Self.file(negative)).contains("a feature of tree 0 is wrong"))
    var fine = Nodes()
    fine.question(1, 2)
    fine.leaf()
    fine.leaf()
    #expect(try refusal(Self.file(fine, voteTarget: 1)).contains("a vote of tree 0 is wrong"))
    #expect(try refusal(Self.file(fine, voteNode: 9)).contains("which does not exist"))
    #expect(try refusal(Self.file(fine, ids: [0, 1, 1])).contains("two nodes 1 of tree 0"))
    var member = Nodes()
    member.question(1, 1, mode: "BRANCH_MEMBER")
    member.leaf()
    #expect(try refusal(Self.file(member)).contains("mode BRANCH_MEMBER"))
    #expect(try refusal(Self.file(Nodes())).contains("no nodes"))
  }

  /// A path of 100,000 questions, each of which leads to a leaf or to the next question.
  @Test func deepTree() throws {
    let depth = 100_000
    var deep = Nodes()
    for index in 0..<depth {
      deep.question(depth, index + 1)
    }
    deep.leaf()
    // `x ≤ 0` is never true for 1, so that all questions are asked.
    let last = depth
    let found = try ImporterFixtures.withFile(Self.file(deep), ending: "onnx") { path in
      let model = try ImportedModel(onnx: path).model
      let network = try model.compile(options: CompileOptions(threads: .exactly(1)))
      return try network.predict([1, 1, 1, 1])
    }
    #expect(found == [Float(last)])
  }
}
