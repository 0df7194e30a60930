import ForgeOperations
import ForgeShapes

/// Replaces the products and sums that exporters write for rotary positions by one rotation of an
/// image, so that the heads stay side by side in it.
///
/// Recognized is `x · cos + partners(x) · sin`, where the partners are rearranged channels of each
/// head, one of each pair negated, and the cosines and sines are tensors of positions and channels.
/// If only the first channels of a head are rotated, the others follow in a concatenation.
enum RecognizeRotation: Rewrite {
  static let name = "recognizeRotation"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let walk = AxisWalk(graph)
    var added: [Int: [OperationGraph.Node]] = [:]
    var tables: [RotationBuilder.Table: OperationGraph.Value] = [:]
    for position in graph.nodes.indices {
      guard let pattern = RotationPattern(at: position, in: walk) else { continue }
      var builder = RotationBuilder(pattern, in: graph, tables: tables)
      guard (try? builder.build()) != nil else { continue }
      graph = builder.graph
      tables = builder.tables
      added[pattern.last] = builder.nodes
    }
    return graph.replacePatterns(added)
  }
}

/// A rotation in the arithmetic of a graph.
private struct RotationPattern {
  typealias Value = OperationGraph.Value

  /// The last node, as a position; its output is that of the rotation.
  private(set) var last: Int
  /// The nodes whose layers the rotation has, as positions.
  private(set) var nodes: [Int]
  private(set) var cosines: Value
  private(set) var sines: Value
  private(set) var pairs: RotationRule.Pairs
  private(set) var heads = 1
  /// The image that is rotated, and how the result of the rotation becomes the output.
  private(set) var image: AxisWalk.Operand
  private(set) var separation: AxisWalk.Permutation?
  /// The sizes of the cosines and sines as images.
  private(set) var factorSizes: [Int] = []

  init?(at position: Int, in walk: AxisWalk) {
    let graph = walk.graph
    guard case .binary(.add) = graph.nodes[position].primitive, graph.isBare(position) else {
      return nil
    }
    let terms = graph.nodes[position].inputs.compactMap { walk.index.soleProducer(of: $0) }
    guard terms.count == 2 else { return nil }
    for (straight, crossed) in [(terms[0], terms[1]), (terms[1], terms[0])] {
      for (tensor, cosines) in Self.factors(straight, graph) {
        guard let lanes = RotatedLanes(of: tensor, in: graph, walk.index) else { continue }
        for (partners, sines) in Self.factors(crossed, graph)
        where partners != tensor && graph.shape(of: partners) == graph.shape(of: tensor) {
          guard let pairs = lanes.lanes(of: partners).flatMap(Self.pairs),
            graph.shape(of: graph.nodes[position].output) == graph.shape(of: tensor),
            graph.shape(of: cosines) == graph.shape(of: sines)
          else { continue }
          self.init(
            last: position, nodes: [straight, crossed, position], cosines: cosines, sines: sines,
            pairs: pairs, image: AxisWalk.Operand(value: tensor, sizes: []))
          takeUnrotatedChannels(walk)
          guard findImage(walk) else { return nil }
          return
        }
      }
    }
    return nil
  }

  private init(
    last: Int, nodes: [Int], cosines: Value, sines: Value, pairs: RotationRule.Pairs,
    image: AxisWalk.Operand
  ) {
    (self.last, self.nodes, self.cosines, self.sines) = (last, nodes, cosines, sines)
    (self.pairs, self.image) = (pairs, image)
  }

  /// The operands of a product in both orders; none for another operation.
  private static func factors(
    _ position: Int, _ graph: OperationGraph
  ) -> [(Value, Value)] {
    let node = graph.nodes[position]
    guard case .binary(.multiply) = node.primitive, graph.isBare(position) else { return [] }
    return [(node.inputs[0], node.inputs[1]), (node.inputs[1], node.inputs[0])]
  }

  /// The pairs whose partners stand at these lanes.
  private static func pairs(_ lanes: [RotatedLanes.Lane]) -> RotationRule.Pairs? {
    guard lanes.count.isMultiple(of: 2) else { return nil }
    return [RotationRule.Pairs.halves, .neighbors].first { pairs in
      let rule = RotationRule(heads: 1, pairs: pairs)
      return lanes.enumerated().allSatisfy { channel, lane in
        let (partner, sign) = rule.partner(of: channel, rotated: lanes.count)
        return lane == RotatedLanes.Lane(channel: partner, sign: sign)
      }
    }
  }

  /// Goes on to a tensor of which only the first channels are rotated, and the others follow.
  private mutating func takeUnrotatedChannels(_ walk: AxisWalk) {
    let graph = walk.graph
    guard let part = walk.index.producer[image.value.index], graph.isBare(part),
      let rotated = graph.shape(of: image.value).sizes?.last,
      case (let source, 0)? = Self.channelsFrom(part, graph),
      let join = walk.soleUser(of: graph.nodes[last].output), graph.isBare(join),
      case .concatenate(let axis) = graph.nodes[join].primitive,
      graph.nodes[join].inputs.count == 2, graph.nodes[join].inputs[0] == graph.nodes[last].output,
      let rest = walk.index.producer[graph.nodes[join].inputs[1].index], graph.isBare(rest),
      let (other, start) = Self.channelsFrom(rest, graph), other == source, start == rotated,
      axis == graph.shape(of: source).rank - 1,
      graph.shape(of: graph.nodes[join].output) == graph.shape(of: source)
    else { return }
    image.value = source
    nodes.append(join)
    last = join
  }

  /// The tensor of which a node takes channels from a place on, and the place; `nil` for another
  /// operation.
  private static func channelsFrom(
    _ position: Int, _ graph: OperationGraph
  ) -> (Value, Int)? {
    guard case .slice(let starts, let sizes, let steps) = graph.nodes[position].primitive,
      let sourceSizes = graph.shape(of: graph.nodes[position].inputs[0]).sizes,
      starts.dropLast().allSatisfy({ $0 == 0 }), sizes.dropLast() == sourceSizes.dropLast(),
      let start = starts.last, steps.last == 1
    else { return nil }
    return (graph.nodes[position].inputs[0], start)
  }

  /// Finds the image whose rows, positions and heads are the axes of the tensor; returns whether
  /// there is one.
  ///
  /// The axes along which the cosines differ are the positions, or rows and positions. The others
  /// are rows or heads.
  private mutating func findImage(_ walk: AxisWalk) -> Bool {
    let graph = walk.graph
    guard let sizes = graph.shape(of: image.value).sizes, sizes.count >= 2,
      let cosineSizes = graph.shape(of: cosines).sizes, cosineSizes.count <= sizes.count,
      let rotated = cosineSizes.last, rotated > 1, graph.shape(of: sines).sizes == cosineSizes
    else { return false }
    let factors = Array(repeating: 1, count: sizes.count - cosineSizes.count) + cosineSizes
    let outer = sizes.indices.dropLast()
    let varying = outer.filter { factors[$0] > 1 }
    guard varying.count <= 2, varying.allSatisfy({ factors[$0] == sizes[$0] }) else { return false }
    let repeated = outer.filter { factors[$0] == 1 && sizes[$0] > 1 }
    var found: (AxisWalk.Operand, AxisWalk.Permutation?, heads: Int)?
    // Of splits that fit, the one whose image exists as it is wins, else the one of the most heads.
    for count in 0...repeated.count where varying.count < 2 || count == 0 {
      var roles = [MovedAxes.Part.Role](repeating: .head, count: sizes.count - 1) + [.channel]
      for axis in repeated.prefix(count) { roles[axis] = .row }
      if varying.count == 2 { roles[varying[0]] = .row }
      if let positions = varying.last { roles[positions] = .position }
      guard let (operand, separation) = walk.image(of: image.value, MovedAxes(roles, sizes: sizes))
      else { continue }
      let heads = repeated.dropFirst(count).reduce(1) { $0 * sizes[$1] }
      let isImage = graph.shape(of: operand.value).sizes == operand.sizes
      if found == nil || isImage { found = (operand, separation, heads) }
      if isImage { break }
    }
    guard let found else { return false }
    (image, separation, heads) = found
    factorSizes = [
      varying.count == 2 ? image.sizes[0] : 1, varying.isEmpty ? 1 : image.sizes[1], rotated,
    ]
    return true
  }
}

/// Makes the nodes of a rotation.
private struct RotationBuilder: PatternBuilder {
  /// A constant of cosines or sines, which equal ones share.
  struct Table: Hashable {
    let values: [Float]
    let sizes: [Int]
  }

  var graph: OperationGraph
  var nodes: [OperationGraph.Node] = []
  let layers: [Int]
  private(set) var tables: [Table: Value]
  private let pattern: RotationPattern

  init(_ pattern: RotationPattern, in graph: OperationGraph, tables: [Table: Value]) {
    (self.pattern, self.graph, self.tables) = (pattern, graph, tables)
    layers = pattern.nodes.sorted().flatMap { graph.nodes[$0].layers }
  }

  /// Makes the nodes, whose last one has the output of the pattern.
  mutating func build() throws(ShapeError) {
    let output = graph.nodes[pattern.last].output
    let rule = RotationRule(heads: pattern.heads, pairs: pattern.pairs)
    let operands = [
      try reshaped(pattern.image.value, pattern.image.sizes), try factors(pattern.cosines),
      try factors(pattern.sines),
    ]
    try finish(try add(.rotate(rule), operands), pattern.separation, as: output)
  }

  private mutating func factors(_ value: Value) throws(ShapeError) -> Value {
    // Tables that are equal for the longest sequence may differ in shorter ones, and vice versa.
    guard !graph.hasVaryingLength, case .literal(let values) = graph.constant(value) else {
      return try reshaped(value, pattern.factorSizes)
    }
    let table = Table(values: values, sizes: pattern.factorSizes)
    if let known = tables[table] { return known }
    let made = graph.addValue(Shape(sizes: table.sizes), .constant(.literal(values)))
    tables[table] = made
    return made
  }

  private mutating func reshaped(_ value: Value, _ sizes: [Int]) throws(ShapeError) -> Value {
    graph.shape(of: value).sizes == sizes ? value : try add(.reshape(sizes), [value])
  }
}
