import ForgeOperations
import ForgeShapes

/// Follows the matrices of heads through reshapes and permutations to images of positions.
struct AxisWalk {
  typealias Value = OperationGraph.Value

  /// What may be passed besides reshapes and permutations.
  enum Pass: Hashable {
    /// Products with a number.
    case factors
    /// The repetition of an axis.
    case broadcasts
  }

  /// A reshape, a permutation and another reshape.
  struct Permutation {
    var sizes: [Int]
    var order: [Int]
  }

  /// A value that is an image [rows][positions][channels of all heads].
  struct Operand {
    var value: Value
    /// What makes it the image; `nil` if its elements have the same order.
    var permutation: Permutation?
    /// The sizes of the image.
    var sizes: [Int]
    /// The number that the image must be multiplied by.
    var factor = 1.0
    /// How many heads share one.
    var sharing = 1
    /// How many permutations of the graph are not needed; −1 if one is added.
    var saved = -1
  }

  let graph: OperationGraph
  let index: GraphIndex
  /// For each value the positions of the nodes that read it.
  private let users: [[Int]]

  init(_ graph: OperationGraph) {
    (self.graph, index) = (graph, GraphIndex(graph))
    var users = [[Int]](repeating: [], count: graph.shapes.count)
    for (position, node) in graph.nodes.enumerated() {
      for operand in Set(graph.operands(of: node)) { users[operand.index].append(position) }
    }
    self.users = users
  }

  /// The only node that reads a value, as a position; `nil` if there are none or several.
  func soleUser(of value: Value) -> Int? {
    index.uses[value.index] == 1 ? users[value.index].first : nil
  }

  /// A value on the way, and what lies between it and the end.
  struct Visit {
    var value: Value
    var axes: MovedAxes
    var factor = 1.0
    var permutations = 0
  }

  /// Follows a value to those that it is made of.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - axes: its axes.
  ///   - passes: what may be passed besides reshapes and permutations.
  ///   - visit: called with every value on the way.
  /// - Returns: the axes of the last value.
  @discardableResult
  func back(
    from value: Value, _ axes: MovedAxes, passes: Set<Pass>, visit: (Visit) -> Void
  ) -> MovedAxes {
    var current = Visit(value: value, axes: axes)
    while true {
      visit(current)
      guard let position = index.producer[current.value.index], graph.isBare(position) else {
        break
      }
      let node = graph.nodes[position]
      guard let sizes = graph.shape(of: node.inputs[0]).sizes else { break }
      var next = current
      next.value = node.inputs[0]
      switch node.primitive {
      case .reshape:
        guard next.axes.regroup(sizes) else { return current.axes }
      case .permute(let order):
        next.axes.undoPermutation(order)
        next.permutations += 1
      case .expand:
        guard passes.contains(.broadcasts) else { return current.axes }
        next.axes.undoBroadcast(sizes)
      default:
        guard passes.contains(.factors), let (value, factor) = graph.multiple(node) else {
          return current.axes
        }
        next.value = value
        next.factor *= factor
      }
      current = next
    }
    return current.axes
  }

  /// The image that matrices of heads are made of, or a permutation of the matrices.
  ///
  /// - Parameters:
  ///   - value: the matrices, behind the axes of the batch.
  ///   - batch: the parts of the batch.
  ///   - rows: how many of them are rows; the others are heads.
  ///   - roles: what the rows and columns of the matrices are.
  ///   - passes: what may be passed.
  /// - Returns: the image; `nil` if the axes do not have these parts.
  func operand(
    _ value: Value, _ batch: [Int], rows: Int, _ roles: [MovedAxes.Part.Role], passes: Set<Pass>
  ) -> Operand? {
    guard let axes = self.axes(of: value, batch, rows: rows, roles) else { return nil }
    if let found = image(of: value, axes, passes: passes) { return found.operand }
    return Operand(
      value: value, permutation: Self.permutation(from: axes.parts, to: axes.image),
      sizes: Self.imageSizes(axes))
  }

  /// The image that a tensor is made of, and how it becomes the tensor, if there is one.
  ///
  /// - Parameters:
  ///   - value: the tensor.
  ///   - axes: its axes.
  ///   - passes: what may be passed besides reshapes and permutations.
  /// - Returns: the image, and what makes the tensor of it; `nil` if it is the image's elements in
  ///   their order.
  func image(
    of value: Value, _ axes: MovedAxes, passes: Set<Pass> = []
  ) -> (operand: Operand, separation: Permutation?)? {
    var found: Operand?
    back(from: value, axes, passes: passes) { visited in
      guard visited.axes.parts == visited.axes.image, let sharing = visited.axes.sharing else {
        return
      }
      found = Operand(
        value: visited.value, sizes: Self.imageSizes(visited.axes), factor: visited.factor,
        sharing: sharing, saved: visited.permutations)
    }
    return found.map { ($0, Self.permutation(from: axes.image, to: axes.parts)) }
  }

  /// The last node that only joins the heads of a product, and how an image becomes its output.
  func result(
    of position: Int, _ batch: [Int], rows: Int
  ) -> (position: Int, separation: Permutation?, saved: Int)? {
    let output = graph.nodes[position].output
    guard var axes = self.axes(of: output, batch, rows: rows, [.position, .channel]) else {
      return nil
    }
    let start = axes
    var found: (position: Int, separation: Permutation?, saved: Int)?
    var (current, permutations) = (position, 0)
    while true {
      if axes.parts == axes.image { found = (current, nil, permutations) }
      let value = graph.nodes[current].output
      guard let user = soleUser(of: value), graph.isBare(user) else { break }
      if case .permute(let order) = graph.nodes[user].primitive {
        axes.permute(order)
        permutations += 1
      } else if case .reshape = graph.nodes[user].primitive,
        let sizes = graph.shape(of: graph.nodes[user].output).sizes
      {
        guard axes.regroup(sizes) else { break }
      } else {
        break
      }
      current = user
    }
    return found ?? (position, Self.permutation(from: start.image, to: start.parts), -1)
  }

  /// The axes of matrices of heads.
  private func axes(
    of value: Value, _ batch: [Int], rows: Int, _ roles: [MovedAxes.Part.Role]
  ) -> MovedAxes? {
    guard let sizes = graph.shape(of: value).sizes, sizes.count >= 2 else { return nil }
    let all = batch.indices.map { $0 < rows ? MovedAxes.Part.Role.row : .head } + roles
    var axes = MovedAxes(all, sizes: batch + sizes.suffix(2))
    return axes.regroup(sizes) ? axes : nil
  }

  private static func imageSizes(_ axes: MovedAxes) -> [Int] {
    func size(_ role: MovedAxes.Part.Role) -> Int {
      axes.parts(of: role).reduce(1) { $0 * $1.size }
    }
    return [size(.row), size(.position), size(.head) * size(.channel)]
  }

  private static func permutation(
    from parts: [MovedAxes.Part], to target: [MovedAxes.Part]
  ) -> Permutation? {
    guard parts != target else { return nil }
    return Permutation(
      sizes: parts.map(\.size), order: target.map { parts.firstIndex(of: $0) ?? 0 })
  }
}
