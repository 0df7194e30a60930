import ForgeOperations
import ForgeShapes

/// Takes parts out of the channels of a product where exporters take them out of a reshaped one.
///
/// `torch.nn.MultiheadAttention` makes queries, keys and values by one product, whose channels
/// [3 · C] are reshaped to [3][C] and gathered at 0, 1 and 2. Parts of whole blocks of 16 channels
/// become views of the product. For others the product becomes several, each with a part of the
/// weights. Neither moves anything in memory.
enum SliceProducts: Rewrite {
  static let name = "sliceProducts"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let finder = SlicedProductFinder(graph)
    /// The nodes that replace that of a position.
    var replacements: [Int: [OperationGraph.Node]] = [:]
    for position in graph.nodes.indices {
      guard let product = finder.product(at: position) else { continue }
      var builder = SlicedProductBuilder(product, graph)
      guard (try? builder.build()) != nil else { continue }
      graph = builder.graph
      replacements.merge(builder.replacements) { first, _ in first }
    }
    guard !replacements.isEmpty else { return 0 }
    graph.replaceNodes(replacements)
    graph.removeUnusedNodes()
    return replacements.count
  }
}

/// A pointwise convolution whose result is only read in parts.
private struct SlicedProduct {
  /// Channels of a result, taken from a reshaped one.
  struct Cut {
    /// The node that takes them.
    let position: Int
    /// The channels are split into [outer][size][inner], and those from `start` on are taken.
    let outer, size, inner, start, count: Int

    /// The number of channels that are taken.
    var channels: Int { outer * count * inner }
    /// Whether they are whole blocks of channels, one after the other.
    var isView: Bool {
      outer == 1 && (start * inner).isMultiple(of: Self.block)
        && channels.isMultiple(of: Self.block)
    }

    private static let block = 16
  }

  /// The convolution, and the scales and shifts of its channels behind it.
  let chain: [Int]
  let channels: Int
  let cuts: [Cut]
}

private struct SlicedProductFinder {
  typealias Value = OperationGraph.Value

  private let graph: OperationGraph
  private let index: GraphIndex
  /// For each value the positions of the nodes that read it.
  private let users: [[Int]]

  init(_ graph: OperationGraph) {
    (self.graph, index) = (graph, GraphIndex(graph))
    var users = [[Int]](repeating: [], count: graph.shapes.count)
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) { users[operand.index].append(position) }
    }
    self.users = users
  }

  /// The product at a position, if all that reads it takes channels from it; else `nil`.
  func product(at position: Int) -> SlicedProduct? {
    let node = graph.nodes[position]
    guard case .convolution(let geometry, let channels, groups: 1) = node.primitive,
      geometry.isPointwise, graph.isBare(position), isConstant(node.inputs.dropFirst())
    else { return nil }
    var chain = [position]
    var value = node.output
    while let next = scale(behind: value, channels: channels) {
      chain.append(next)
      value = graph.nodes[next].output
    }
    guard let valueSizes = graph.shape(of: value).sizes, valueSizes.last == channels else {
      return nil
    }
    let axes = MovedAxes(
      valueSizes.dropLast().map { _ in .position } + [.channel], sizes: valueSizes)
    guard let cuts = cuts(of: value, axes), !cuts.isEmpty,
      cuts.reduce(0, { $0 + $1.channels }) <= channels
    else { return nil }
    return SlicedProduct(chain: chain, channels: channels, cuts: cuts)
  }

  /// The scale and shift of each channel that alone reads a value, maybe with other axes before the
  /// channels.
  private func scale(behind value: Value, channels: Int) -> Int? {
    var value = value
    while let next = onlyUser(of: value), graph.isBare(next) {
      let node = graph.nodes[next]
      switch node.primitive {
      case .reshape where graph.shape(of: node.output).sizes?.last == channels:
        value = node.output
      case .affine where node.inputs[0] == value && isConstant(node.inputs.dropFirst()):
        let fits = node.inputs.dropFirst().allSatisfy {
          graph.shape(of: $0).elementCount == channels
        }
        return fits ? next : nil
      default: return nil
      }
    }
    return nil
  }

  private func isConstant(_ values: some Sequence<Value>) -> Bool {
    values.allSatisfy { graph.constant($0) != nil }
  }

  private func onlyUser(of value: Value) -> Int? {
    index.uses[value.index] == 1 ? users[value.index].first : nil
  }

  /// The parts in which a value is read behind reshapes; `nil` if something reads all of it.
  private func cuts(of value: Value, _ axes: MovedAxes) -> [SlicedProduct.Cut]? {
    var cuts: [SlicedProduct.Cut] = []
    var rest = [(value: value, axes: axes)]
    while let (value, axes) = rest.popLast() {
      // An output of the model is read as a whole.
      guard index.uses[value.index] == users[value.index].count else { return nil }
      for user in users[value.index] {
        let node = graph.nodes[user]
        guard graph.isBare(user), let sizes = graph.shape(of: node.output).sizes else {
          return nil
        }
        if case .reshape = node.primitive {
          var reshaped = axes
          guard reshaped.regroup(sizes) else { return nil }
          rest.append((node.output, reshaped))
        } else if let (axis, positions) = range(node), let cut = cut(user, axes, axis, positions) {
          cuts.append(cut)
        } else {
          return nil
        }
      }
    }
    return cuts
  }

  /// The axis that a node takes neighbors of, and their positions.
  private func range(_ node: OperationGraph.Node) -> (axis: Int, positions: Range<Int>)? {
    guard let sizes = graph.shape(of: node.inputs[0]).sizes else { return nil }
    switch node.primitive {
    case .gather(let axis, let indices, value: _):
      guard let first = indices.first, first >= 0,
        indices == Array(first..<first + indices.count)
      else { return nil }
      return (axis < 0 ? axis + sizes.count : axis, first..<first + indices.count)
    case .slice(let starts, let counts, let steps):
      let sliced = sizes.indices.filter { starts[$0] != 0 || counts[$0] != sizes[$0] }
      guard sliced.count == 1, steps.allSatisfy({ $0 == 1 }), starts[sliced[0]] >= 0 else {
        return nil
      }
      return (sliced[0], starts[sliced[0]]..<starts[sliced[0]] + counts[sliced[0]])
    default: return nil
    }
  }

  /// The channels that a node takes at positions of an axis, which consists of channels alone.
  private func cut(
    _ position: Int, _ axes: MovedAxes, _ axis: Int, _ positions: Range<Int>
  ) -> SlicedProduct.Cut? {
    let parts = axes.axes[axis]
    guard !parts.isEmpty, parts.allSatisfy({ $0.role == .channel }) else { return nil }
    func size(_ axes: ArraySlice<[MovedAxes.Part]>) -> Int {
      axes.joined().reduce(1) { $1.role == .channel ? $0 * $1.size : $0 }
    }
    let outer = size(axes.axes[..<axis])
    let inner = size(axes.axes[(axis + 1)...])
    // A slice of an image as it is, or of one pixel after the other, is no matter of this rewrite.
    guard outer > 1 || inner > 1 else { return nil }
    return SlicedProduct.Cut(
      position: position, outer: outer, size: parts.reduce(1) { $0 * $1.size }, inner: inner,
      start: positions.lowerBound, count: positions.count)
  }
}

/// Makes the nodes of the parts.
private struct SlicedProductBuilder {
  typealias Value = OperationGraph.Value

  private(set) var graph: OperationGraph
  /// The nodes that replace that of a position.
  private(set) var replacements: [Int: [OperationGraph.Node]] = [:]
  private let product: SlicedProduct
  private var nodes: [OperationGraph.Node] = []

  init(_ product: SlicedProduct, _ graph: OperationGraph) {
    (self.product, self.graph) = (product, graph)
  }

  mutating func build() throws(ShapeError) {
    var image: Value?
    if product.cuts.contains(where: \.isView) { image = try unsliced() }
    for cut in product.cuts {
      nodes = []
      let cutNode = graph.nodes[cut.position]
      let value: Value
      if let image, cut.isView {
        let first = cut.start * cut.inner
        value = try add(
          .gatherChannels(Array(first..<first + cut.channels)), [image], layers: cutNode.layers)
      } else {
        value = try part(cut)
      }
      let sizes = graph.shape(of: cutNode.output).sizes ?? []
      if graph.shape(of: value).sizes != sizes {
        _ = try add(.reshape(sizes), [value], layers: cutNode.layers)
      }
      nodes[nodes.count - 1].output = cutNode.output
      replacements[cut.position] = nodes
    }
  }

  /// The image that the product makes, with the scales and shifts behind it.
  private mutating func unsliced() throws(ShapeError) -> Value {
    var value = graph.nodes[product.chain[0]].output
    for position in product.chain.dropFirst() {
      let node = graph.nodes[position]
      nodes = []
      value = try add(node.primitive, [value] + node.inputs.dropFirst(), layers: node.layers)
      replacements[position] = nodes
    }
    return value
  }

  /// The product, and the scales and shifts behind it, of the channels of a cut.
  private mutating func part(_ cut: SlicedProduct.Cut) throws(ShapeError) -> Value {
    var value = graph.nodes[product.chain[0]].inputs[0]
    for position in product.chain {
      let node = graph.nodes[position]
      var primitive = node.primitive
      if case .convolution(let geometry, outputs: _, groups: 1) = primitive {
        primitive = .convolution(geometry, outputs: cut.channels, groups: 1)
      }
      let constants = node.inputs.dropFirst().map { constant($0, cut) }
      value = try add(
        primitive, [value] + constants,
        layers: node.layers + graph.nodes[cut.position].layers)
    }
    return value
  }

  /// The values of a constant [channels][…] that belong to the channels of a cut.
  private mutating func constant(_ value: Value, _ cut: SlicedProduct.Cut) -> Value {
    let shape = graph.shape(of: value)
    guard let recipe = graph.constant(value), let count = shape.elementCount else { return value }
    let each = count / product.channels
    let strided = ConstantRecipe.strided(
      recipe, count: count, start: cut.start * cut.inner * each,
      sizes: [cut.outer, cut.count * cut.inner * each],
      strides: [cut.size * cut.inner * each, 1])
    var sizes = shape.dimensions
    if let axis = sizes.firstIndex(of: product.channels) { sizes[axis] = cut.channels }
    return graph.addValue(Shape(sizes), .constant(strided))
  }

  private mutating func add(
    _ primitive: Primitive, _ inputs: [Value], layers: [Int]
  ) throws(ShapeError) -> Value {
    let value = try graph.addNode(primitive, inputs, layer: 0)
    var node = graph.nodes.removeLast()
    node.layers = layers
    nodes.append(node)
    return value
  }
}
