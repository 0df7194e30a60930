import ForgeGraph
import ForgeOperations
import ForgeShapes

/// The parameters that meet a flattened image, and the order of the values they meet.
///
/// Forge flattens an image as height, width, channels. Frameworks with channels first flatten it as
/// channels, height, width, so the weights of a dense layer after it have another order in
/// their files. This follows flattened images through a graph to the parameters. If a source has
/// channels first, they are then read in the order of the image.
///
/// An image is a tensor of three axes. A tensor of another rank, unless it is made from an image,
/// has the same order of values in all frameworks. A sequence that a layer makes has the axes that
/// the layer states: that of a convolution has channels first, that of an LSTM does not.
struct FlattenedImages {
  /// The sizes of an image.
  struct Image: Hashable {
    let height, width, channels: Int

    /// Whether orders with channels first and last differ.
    var hasOrder: Bool { channels > 1 && height * width > 1 }
  }

  /// What the values along the axes of a tensor are.
  enum Order: Hashable {
    /// What the axes state: height, width and channels of a tensor of three axes.
    case stated
    /// One axis holds the values of an image.
    case flattened(Image)
    /// The last axis holds the channels of an image or a sequence; others hold its pixels or steps.
    ///
    /// Whether its values have this order elsewhere is not known.
    case pixels
    /// The two axes are the steps and the channels of a sequence, which has channels first
    /// elsewhere.
    case sequence
    /// The three axes are the channels, height and width of an image.
    case channelsFirst(Image)
    /// The values of a flattened image, rearranged by the named operation.
    case mixed(String)
  }

  /// The orders of the values that each parameter meets, by its index.
  private(set) var met: [Int: Set<Order>] = [:]

  /// Follows the images of a graph of known or unknown sizes.
  ///
  /// - Parameters:
  ///   - graph: the operations of the model.
  ///   - axes: what layers state of the sequences that they make.
  ///   - restored: the tensors, by index, whose values are in an order that all frameworks read
  ///     alike.
  init(
    _ graph: OperationGraph, axes: [OperationGraph.Value: SequenceAxes] = [:],
    restored: Set<Int> = []
  ) {
    var orders = [Order](repeating: .stated, count: graph.shapes.count)
    for node in graph.nodes {
      let data = node.inputs.filter { graph.constant($0) == nil }
      let inputs = data.map { (shape: graph.shape(of: $0), order: orders[$0.index]) }
      let output = graph.shape(of: node.output)
      for operand in node.inputs {
        guard case .parameter(let index) = graph.constant(operand) else { continue }
        met[index, default: []].insert(
          Self.order(met: inputs, by: node.primitive, values: graph.shape(of: operand)))
      }
      orders[node.output.index] =
        switch axes[node.output] {
        case _ where restored.contains(node.output.index): .stated
        case .stepsFirst: .stated
        case .channelsFirst: .sequence
        case .like(let value): orders[value.index]
        case nil: Self.order(after: node.primitive, inputs, output: output)
        }
    }
  }

  /// The order of the values that an operand of a node meets.
  private static func order(
    met inputs: [(shape: Shape, order: Order)], by primitive: Primitive, values: Shape
  ) -> Order {
    let order = merged(inputs, primitive.name)
    guard order != .stated, values.elementCount != 1 else { return .stated }
    // A bias belongs to the outputs.
    if primitive.traits.packsOperands, !primitive.traits.treatsChannelsAlike, values.rank == 1 {
      return .stated
    }
    guard case .dense = primitive else {
      if case .channelsFirst = order { return .stated }
      return order == .pixels || order == .sequence ? .stated : order
    }
    // A dense layer flattens what it reads.
    switch order {
    case .pixels: return .mixed("reshape")
    case .sequence: return inputs.first.map { flattened($0.shape) } ?? order
    default: return order
    }
  }

  /// The order of a result.
  private static func order(
    after primitive: Primitive, _ inputs: [(shape: Shape, order: Order)], output: Shape
  ) -> Order {
    let traits = primitive.traits
    if let input = inputs.first, traits.keepsElements {
      return reshaped(input.order, from: input.shape, to: output)
    }
    if case .permute(let order) = primitive, let input = inputs.first {
      return permuted(input.order, input.shape, order)
    }
    let order = merged(inputs, primitive.name)
    if order == .stated { return order }
    if order == .sequence, output.rank == 2 {
      switch primitive {
      case .concatenate, .slice: return order
      default: break
      }
    }
    if traits.treatsChannelsAlike {
      // Along the other axes, values that are neighbors in one order are not in the other.
      let isOutsideLastAxis = order.isChannelsFirst || (order.isFlattened && output.channels == 1)
      let isMoved = inputs.contains { $0.shape != output } || primitive.isPooling
      return isOutsideLastAxis && isMoved ? .mixed(primitive.name) : order
    }
    if case .depthwiseConvolution = primitive { return .mixed(primitive.name) }
    // Sums over all inputs have the order of the outputs.
    if traits.packsOperands { return .stated }
    if case .concatenate(let axis) = primitive, inputs.count == 1 || axis != output.rank - 1 {
      return order
    }
    return .mixed(primitive.name)
  }

  /// The order that the operands of an operation have in common.
  private static func merged(
    _ inputs: [(shape: Shape, order: Order)], _ name: String
  ) -> Order {
    // One value for all channels has no order.
    let ordered = inputs.filter { $0.shape.channels != 1 || $0.order != .stated }
    let orders = Set(ordered.map(\.order))
    // Channels are the last axis of a sequence here, whatever they are elsewhere.
    if orders.isSubset(of: [.stated, .pixels, .sequence]), orders.count > 1,
      ordered.allSatisfy({ $0.shape.rank == 2 })
    {
      return .pixels
    }
    return orders.count > 1 ? .mixed(name) : orders.first ?? .stated
  }

  private static func reshaped(_ order: Order, from input: Shape, to output: Shape) -> Order {
    if input == output { return order }
    let isVector = output.isVector
    switch order {
    case .stated:
      guard let image = Image(input), image.hasOrder else { return .stated }
      if isVector { return .flattened(image) }
      if output.isImage { return .stated }
      return output.channels == image.channels ? .pixels : .mixed("reshape")
    case .flattened(let image):
      if isVector { return order }
      return Image(output) == image ? .stated : .mixed("reshape")
    case .sequence:
      if isVector { return flattened(input) }
      // An image of one row, or of one column.
      guard let image = Image(output), image.channels == input.channels,
        min(image.height, image.width) == 1
      else { return .mixed("reshape") }
      return .stated
    case .pixels:
      if output.isImage, !isVector { return .stated }
      return !isVector && output.channels == input.channels ? .pixels : .mixed("reshape")
    case .channelsFirst:
      // A reshape keeps the order of the values, which is that of the frameworks already.
      if isVector { return .stated }
      guard output.isImage, let sizes = output.sizes else { return .mixed("reshape") }
      return .channelsFirst(Image(height: sizes[1], width: sizes[2], channels: sizes[0]))
    case .mixed: return output.isImage && !isVector ? .stated : order
    }
  }

  /// The order of a sequence whose channels are first elsewhere, once it is one axis.
  private static func flattened(_ sequence: Shape) -> Order {
    guard let sizes = sequence.sizes, sizes.count == 2 else { return .mixed("reshape") }
    let image = Image(height: 1, width: sizes[0], channels: sizes[1])
    return image.hasOrder ? .flattened(image) : .stated
  }

  private static func permuted(_ order: Order, _ input: Shape, _ axes: [Int]) -> Order {
    // Axes of one value may move freely.
    let moved = axes.filter { input.dimensions.indices.contains($0) && input.dimensions[$0] != 1 }
    if moved == moved.sorted() { return order }
    if order == .sequence, axes == [1, 0] { return .stated }
    // Channels put last again are what the axes state.
    if order.isChannelsFirst, axes == [1, 2, 0] { return .stated }
    guard order == .stated else { return .mixed("permute") }
    guard let image = Image(input), image.hasOrder, axes.last != 2 else { return .stated }
    return axes == [2, 0, 1] ? .channelsFirst(image) : .mixed("permute")
  }
}

extension FlattenedImages.Order {
  fileprivate var isFlattened: Bool {
    if case .flattened = self { true } else { false }
  }

  fileprivate var isChannelsFirst: Bool {
    if case .channelsFirst = self { true } else { false }
  }
}

extension Primitive {
  /// Whether it combines the values of a window.
  fileprivate var isPooling: Bool {
    if case .pooling = self { true } else { false }
  }
}

extension FlattenedImages.Image {
  /// The sizes of a tensor of three axes; `nil` for other tensors and for unknown sizes.
  init?(_ shape: Shape) {
    guard shape.isImage, let sizes = shape.sizes else { return nil }
    self.init(height: sizes[0], width: sizes[1], channels: sizes[2])
  }

  fileprivate var count: Int { height * width * channels }
}

extension FlattenedImages {
  /// Specifies the parameters by the images they meet, where their values have channels first.
  ///
  /// - Parameters:
  ///   - specs: the parameters.
  ///   - data: the values of each.
  ///   - problem: returns the problem with the parameter at an index, given the operation that
  ///     rearranges the values that it meets.
  /// - Returns: the parameters, with the same values and number of values.
  /// - Throws: ``CompileError`` with every parameter whose order is not known.
  func specs(
    _ specs: [ParameterSpec], data: [any ParameterData],
    problem: (_ index: Int, _ operation: String) -> Problem
  ) throws(CompileError) -> [ParameterSpec] {
    var result = specs
    var problems: [Problem] = []
    for (index, orders) in met.sorted(by: { $0.key < $1.key })
    where data[index].followsImages {
      guard orders.count == 1, let order = orders.first else {
        problems.append(problem(index, "the use of its layer at several places"))
        continue
      }
      switch order {
      case .stated, .pixels, .sequence: continue
      case .mixed(let name): problems.append(problem(index, name))
      case .flattened(let image):
        guard let spec = specs[index].flattening(image) else {
          problems.append(problem(index, "flatten"))
          continue
        }
        if data[index].layout.order(for: spec) != nil { result[index] = spec }
      case .channelsFirst(let image):
        let spec = specs[index].ofVector(image.count)
        guard spec.count == specs[index].count else {
          problems.append(problem(index, "permute"))
          continue
        }
        if data[index].layout.order(for: spec) != nil { result[index] = spec }
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    return result
  }
}

extension ParameterData {
  /// Whether images that are flattened before the layer decide how the values are read.
  var followsImages: Bool {
    layout.hasChannelsFirst && (self as? any OrderedParameterData)?.isOrdered != true
  }
}

extension ParameterLayout {
  /// Whether it has channels before height and width.
  fileprivate var hasChannelsFirst: Bool {
    switch self {
    case .pytorch: true
    case .forge, .keras: false
    case .axes(let order):
      if let channels = order.firstIndex(where: { [.inputs, .channels].contains($0) }) {
        order[channels...].contains { [.height, .width].contains($0) }
      } else {
        false
      }
    }
  }
}

extension ParameterSpec {
  /// The number of outputs of a parameter with weights [outputs][inputs]; `nil` for any other.
  private var outputs: Int? {
    axes.first == .outputs && axes.contains(.inputs) ? sizes[0] : nil
  }

  /// The same parameter with an axis for each of a flattened image; `nil` if it has not one value
  /// for each of the image's, or one per output.
  fileprivate func flattening(_ image: FlattenedImages.Image) -> ParameterSpec? {
    let (height, width, channels) = (image.height, image.width, image.channels)
    if let outputs {
      let isVector = sizes.dropFirst().count { $0 != 1 } == 1
      guard isVector, sizes.dropFirst().contains(image.count) else { return nil }
      return ParameterSpec(
        layer: layer, type,
        [.outputs: outputs, .height: height, .width: width, .inputs: channels])
    }
    guard count == image.count, !axes.contains(.multiplier) else { return nil }
    return ParameterSpec(
      layer: layer, type, [.height: height, .width: width, .channels: channels])
  }

  /// The same weights for a vector of a number of values.
  fileprivate func ofVector(_ inputs: Int) -> ParameterSpec {
    ParameterSpec(
      layer: layer, type, [.outputs: outputs ?? 1, .height: 1, .width: 1, .inputs: inputs])
  }
}
