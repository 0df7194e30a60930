import ForgeOperations
import ForgeShapes

/// The operations between the product of queries and keys and that of weights and values, as
/// exporters write them: factors, a cap, masks and the softmax.
struct AttentionScores {
  /// A mask and its sizes, of which the last two are queries and keys.
  struct Mask {
    var value: OperationGraph.Value
    var kind: Kind
    /// The outer axes of the scores that the mask is broadcast to.
    var outer: [Int]

    enum Kind: Hashable {
      /// A number added to each score.
      case added
      /// 0 for each hidden key.
      case visible
      /// 0 for each key that is not hidden.
      case hidden
      /// A number instead of the scores of the keys for which the value is 0.
      ///
      /// The attention adds the number to the scores, unless the mask is causal. Only queries that
      /// see no key change by this: the file gives all their keys the same weight, while a sum
      /// keeps what of a score is not lost beside the number; at −1e9 a score below 32 is.
      case replaced(by: Float)
      /// A number instead of the scores of the other keys.
      case hiddenReplaced(by: Float)
    }
  }

  /// Exporters write two masks at most; a bound keeps the search short.
  private static let mostMasks = 4

  /// The position of the product of queries and keys.
  var product: Int
  /// What the products are multiplied by.
  var factor = 1.0
  /// A score becomes `cap·tanh(score/cap)`.
  var cap: Double?
  /// The masks, latest first.
  var masks: [Mask] = []
  /// The nodes from the product to the softmax, as positions.
  var nodes: Set<Int> = []

  /// Finds the scores whose softmax is a value; `nil` if it is none.
  init?(softmax value: OperationGraph.Value, in graph: OperationGraph, _ index: GraphIndex) {
    self.init(product: -1)
    guard let weights = weights(value, in: graph, index) else { return nil }
    guard find(graph.nodes[weights].inputs[0], in: graph, index) else { return nil }
  }

  private init(product: Int) { self.product = product }

  /// The softmax that makes a value, maybe behind a guard against NaN, which a row of hidden keys
  /// has.
  private mutating func weights(
    _ value: OperationGraph.Value, in graph: OperationGraph, _ index: GraphIndex
  ) -> Int? {
    guard var position = index.soleProducer(of: value) else { return nil }
    if case .select = graph.nodes[position].primitive {
      let inputs = graph.nodes[position].inputs
      guard let test = index.soleProducer(of: inputs[0]),
        case .unary(.isNaN) = graph.nodes[test].primitive,
        graph.nodes[test].inputs[0] == inputs[2], index.uses[inputs[2].index] == 2,
        graph.uniform(inputs[1]) == 0, let softmax = index.producer[inputs[2].index]
      else { return nil }
      nodes.formUnion([position, test])
      position = softmax
    }
    guard case .softmax(logarithm: false) = graph.nodes[position].primitive,
      graph.isBare(position)
    else { return nil }
    nodes.insert(position)
    return position
  }

  /// Follows scores back to the product; returns whether there is one.
  private mutating func find(
    _ start: OperationGraph.Value, in graph: OperationGraph, _ index: GraphIndex
  ) -> Bool {
    var value = start
    while true {
      guard let position = index.soleProducer(of: value), graph.isBare(position) else {
        return false
      }
      let node = graph.nodes[position]
      nodes.insert(position)
      switch node.primitive {
      case .matrixProduct:
        product = position
        return true
      case .reshape:
        let (before, after) = (graph.shape(of: node.inputs[0]), graph.shape(of: value))
        guard let sizes = before.sizes, let reshaped = after.sizes, sizes.count >= 2,
          reshaped.count >= 2,
          sizes.suffix(2) == reshaped.suffix(2)
        else { return false }
        value = node.inputs[0]
      case .activation(.tanh):
        // cap·tanh(s/cap): the factor found so far is the cap.
        guard cap == nil, factor > 0, factor.isFinite else { return false }
        (cap, factor) = (factor, 1)
        value = node.inputs[0]
      default:
        guard let next = step(node, value, in: graph, index) else { return false }
        value = next
      }
    }
  }

  /// The scores before a factor or a mask; `nil` if the operation is neither.
  private mutating func step(
    _ node: OperationGraph.Node, _ value: OperationGraph.Value, in graph: OperationGraph,
    _ index: GraphIndex
  ) -> OperationGraph.Value? {
    if let (scores, own) = graph.multiple(node) {
      factor *= own
      return scores
    }
    // The way goes from the softmax back to the product. A factor or a cap that it has met by now
    // acts on the masked scores, and so on the mask too, which the operation does not do: it scales
    // and caps first.
    guard factor == 1, cap == nil, masks.count < Self.mostMasks,
      let sizes = graph.shape(of: value).sizes
    else { return nil }
    let outer = Array(sizes.dropLast(2))
    let inputs = node.inputs
    func fits(_ scores: OperationGraph.Value, _ mask: OperationGraph.Value) -> Bool {
      graph.shape(of: scores).sizes == sizes && graph.shape(of: mask).isKnown
        && graph.shape(of: mask).rank <= sizes.count
    }
    switch node.primitive {
    case .binary(.add):
      for (scores, mask) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
        if fits(scores, mask), isScores(scores, in: graph, index) {
          masks.append(Mask(value: mask, kind: .added, outer: outer))
          return scores
        }
        guard let (own, visible, number) = selection(scores, filled: mask, in: graph, index),
          fits(own, visible)
        else { continue }
        masks.append(Mask(value: visible, kind: .replaced(by: number), outer: outer))
        return own
      }
      return nil
    case .affine:
      // A constant for each key is added, behind a factor.
      guard let scale = graph.uniform(inputs[1]), fits(inputs[0], inputs[2]) else { return nil }
      masks.append(Mask(value: inputs[2], kind: .added, outer: outer))
      factor = scale
      return inputs[0]
    case .select:
      for (scores, other, isVisible) in [
        (inputs[1], inputs[2], true), (inputs[2], inputs[1], false),
      ] {
        guard let number = graph.uniform(other), fits(scores, inputs[0]), number < 0 else {
          continue
        }
        if number == -.infinity {
          masks.append(
            Mask(value: inputs[0], kind: isVisible ? .visible : .hidden, outer: outer))
        } else if number <= -1e9 {
          let number = Float(number)
          masks.append(
            Mask(
              value: inputs[0],
              kind: isVisible ? .replaced(by: number) : .hiddenReplaced(by: number), outer: outer))
        } else {
          continue
        }
        return scores
      }
      return nil
    default: return nil
    }
  }

  /// The scores, the mask and the number of `scores · mask + number · (1 − mask)`, a selection in
  /// arithmetic, whose mask is constant.
  private mutating func selection(
    _ product: OperationGraph.Value, filled: OperationGraph.Value, in graph: OperationGraph,
    _ index: GraphIndex
  ) -> (OperationGraph.Value, OperationGraph.Value, Float)? {
    guard case .literal(let fill) = graph.constant(filled), let number = fill.min(),
      number <= -1e9, number.isFinite, let position = index.soleProducer(of: product),
      graph.isBare(position), case .binary(.multiply) = graph.nodes[position].primitive
    else { return nil }
    let inputs = graph.nodes[position].inputs
    for (scores, mask) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
      guard case .literal(let visible) = graph.constant(mask),
        graph.shape(of: mask) == graph.shape(of: filled),
        zip(visible, fill).allSatisfy({ ($0 == 1 && $1 == 0) || ($0 == 0 && $1 == number) }),
        isScores(scores, in: graph, index)
      else { continue }
      nodes.insert(position)
      return (scores, mask, number)
    }
    return nil
  }

  /// Whether a value is made of a product by what may stand between the two.
  private func isScores(
    _ value: OperationGraph.Value, in graph: OperationGraph, _ index: GraphIndex
  ) -> Bool {
    var copy = self
    copy.masks.append(Mask(value: value, kind: .added, outer: []))
    return copy.find(value, in: graph, index)
  }
}

extension OperationGraph {
  /// The value of all elements of a constant of the model; `nil` for parameters.
  func uniform(_ value: Value) -> Double? {
    guard case .literal(let values) = constant(value), let first = values.first,
      values.allSatisfy({ $0 == first })
    else { return nil }
    return Double(first)
  }

  /// Whether nothing was fused into a node.
  func isBare(_ position: Int) -> Bool {
    nodes[position].residual == nil && nodes[position].activation == .linear
  }

  /// The operand and the number of which a node is the product; `nil` for any other.
  func multiple(_ node: Node) -> (value: Value, factor: Double)? {
    let inputs = node.inputs
    func isSame(_ value: Value) -> Bool { shape(of: value) == shape(of: node.output) }
    switch node.primitive {
    case .affine:
      guard let scale = uniform(inputs[1]), uniform(inputs[2]) == 0, scale.isFinite else {
        return nil
      }
      return (inputs[0], scale)
    case .binary(.multiply):
      for (value, other) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
        if let scale = uniform(other), scale.isFinite, isSame(value) { return (value, scale) }
      }
      return nil
    case .binary(.divide):
      guard let divisor = uniform(inputs[1]), divisor != 0, divisor.isFinite, isSame(inputs[0])
      else { return nil }
      return (inputs[0], 1 / divisor)
    default: return nil
    }
  }
}
