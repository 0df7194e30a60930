import Forge
import ForgeModels
import ForgeToolSupport
import Foundation
import FoundationXML
import Testing

@Suite struct NetworkGraphTests {
  private typealias Node = NetworkGraph.Node

  /// A network that shrinks and grows, with connections across.
  private func uNet() -> Model {
    let input = Input(width: 64, height: 48, channels: 3)
    func pair(_ x: Tensor, _ name: String, _ channels: Int) -> Tensor {
      x --> Convolution(kernel: 3, channels: channels, activation: .relu, name: "\(name)a")
        --> Convolution(kernel: 3, channels: channels, activation: .relu, name: "\(name)b")
    }
    var x: Tensor = input
    var across: [Tensor] = []
    for level in 1...3 {
      x = pair(x, "down\(level)", 8 << level)
      across.append(x)
      x = x --> MaxPooling(2)
    }
    x = pair(x, "bottom", 128)
    for level in (1...3).reversed() {
      x = [x --> UpSampling(2), across[level - 1]] --> Concatenate()
      x = pair(x, "up\(level)", 8 << level)
    }
    return Model(input: input, output: x --> Convolution(kernel: 1, channels: 2, name: "mask"))
  }

  private func widths(_ graph: NetworkGraph) -> [Double] {
    graph.nodes.indices.map { 80 + Double($0 % 5) * 13 }
  }

  private var graphs: [NetworkGraph] {
    [
      NetworkGraph(.leNet(), title: "LeNet"), NetworkGraph(.inceptionV3(), title: "Inception"),
      NetworkGraph(uNet(), title: "U-Net"),
    ]
  }

  @Test func boxesDoNotOverlap() {
    for graph in graphs {
      let layout = GraphLayout(graph, widths: widths(graph))
      let rows = Dictionary(grouping: layout.boxes) { $0.center.y }
      for row in rows.values {
        let sorted = row.sorted { $0.center.x < $1.center.x }
        for (a, b) in zip(sorted, sorted.dropFirst()) {
          #expect(a.center.x + a.width / 2 + 10 < b.center.x - b.width / 2)
        }
      }
      for box in layout.boxes {
        #expect(box.center.x - box.width / 2 >= 0)
        #expect(box.center.x + box.width / 2 <= layout.width)
        #expect(box.center.y + GraphLayout.boxHeight / 2 <= layout.height)
      }
    }
  }

  @Test func everyLayerStandsBelowThoseItTakes() {
    for graph in graphs {
      let layout = GraphLayout(graph, widths: widths(graph))
      for (index, node) in graph.nodes.enumerated() {
        for input in node.inputs {
          #expect(layout.boxes[input].center.y < layout.boxes[index].center.y)
        }
      }
      #expect(layout.links.allSatisfy { $0.from.y < $0.to.y })
      let arrows = layout.links.filter(\.hasArrow).count
      #expect(arrows == graph.nodes.reduce(0) { $0 + Set($1.inputs).count })
    }
  }

  @Test func aChainIsOneColumn() {
    let graph = NetworkGraph(.leNet(), title: "LeNet")
    let layout = GraphLayout(graph, widths: widths(graph))
    #expect(Set(layout.boxes.map(\.center.x)).count == 1)
  }

  @Test func chainsBetweenBranchesAreStraight() {
    for graph in graphs {
      let layout = GraphLayout(graph, widths: widths(graph))
      var users = Array(repeating: 0, count: graph.nodes.count)
      for node in graph.nodes {
        for input in Set(node.inputs) { users[input] += 1 }
      }
      for (index, node) in graph.nodes.enumerated() where node.inputs.count == 1 {
        let input = node.inputs[0]
        guard users[input] == 1 else { continue }
        #expect(layout.boxes[input].center.x == layout.boxes[index].center.x)
      }
    }
  }

  @Test func drawingsAreXML() throws {
    let graph = NetworkGraph(
      nodes: [
        Node(name: "a<b>&\"c\"\u{1}", type: "Input", shape: "3×5", role: .input),
        Node(
          name: String(repeating: "long", count: 30), type: "Conv", shape: "3×5", role: .weighted,
          isOutput: true, inputs: [0]),
      ], title: "<&>")
    for svg in [graph.svg] + graphs.map(\.svg) {
      let parser = XMLParser(data: Data(svg.utf8))
      #expect(parser.parse())
    }
    #expect(graph.svg.contains("a&lt;b&gt;&amp;&quot;c&quot;"))
    #expect(graph.svg.contains("longlonglonglo…onglonglonglong"))
  }

  @Test func thereMayBeNoNodes() {
    let empty = NetworkGraph(nodes: [], title: "nothing")
    #expect(empty.svg.contains("nothing"))
    #expect(empty.dot.hasPrefix("digraph"))
  }

  @Test func graphvizGetsNodesAndEdges() {
    let graph = NetworkGraph(
      nodes: [
        Node(name: "x", type: "Input", shape: "3×5"),
        Node(name: "say \"a\\b\"", type: "Conv", shape: "3×5", inputs: [0]),
      ], title: "net")
    #expect(graph.dot.contains("n1 [label=\"Conv\\nsay \\\"a\\\\b\\\"\\n3×5\","))
    #expect(graph.dot.contains("  n0 -> n1;"))
  }

  @Test func denseConnectionsStayBounded() {
    // Every layer takes all earlier ones: some 180,000 places if each edge had its own.
    let nodes = (0..<600).map { Node(name: "\($0)", type: "N", inputs: Array(0..<$0)) }
    let graph = NetworkGraph(nodes: nodes, title: "dense")
    let layout = GraphLayout(graph, widths: nodes.map { _ in 80 })
    #expect(layout.boxes.count == 600)
  }
}
