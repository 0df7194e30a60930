import Forge
import ForgeOperations
import ForgeShapes

/// Images whose pixels and channels change places, and their edges.
extension CoreMLGraphWriter {
  mutating func interleavePixels(
    _ call: CoreMLOperation, _ step: Size, cut: Size
  ) throws(ExportRefusal) {
    let (height, width, channels) = image(call.inputs[0])
    var images: [String] = []
    for input in call.inputs { images.append(try name(of: input, in: .channelsFirst)) }
    let joined = try joined(images, axis: 1)
    let isCut = cut.width > 0 || cut.height > 0
    let whole = [height * step.height, width * step.width]
    var result = try rearranged(
      joined, [step.height, step.width, channels, height, width], order: [2, 3, 0, 4, 1],
      to: [1, channels] + whole, named: isCut ? nil : name(for: call.output))
    if isCut {
      result = try cropped(
        result, [0, 0, cut.height, cut.width], named: name(for: call.output))
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func depthToSpace(
    _ call: CoreMLOperation, _ block: Size, interleaved: Bool
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let (height, width, channels) = image(call.inputs[0])
    let made = channels / (block.width * block.height)
    let target = [1, made, height * block.height, width * block.width]
    let result: String
    if block.width == block.height, block.width > 1, !interleaved {
      result = try add(.reorganizeData, [x], sizes: target, named: name(for: call.output)) {
        $0.integer(1, 1)
        $0.integer(2, block.width)
      }
    } else {
      let split =
        interleaved
        ? [made, block.height, block.width, height, width]
        : [block.height, block.width, made, height, width]
      result = try rearranged(
        x, split, order: interleaved ? [0, 3, 1, 4, 2] : [2, 3, 0, 4, 1], to: target,
        named: name(for: call.output))
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func spaceToDepth(_ call: CoreMLOperation, _ block: Size) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let (height, width, channels) = image(call.inputs[0])
    let (rows, columns) = (height / block.height, width / block.width)
    let target = [1, channels * block.width * block.height, rows, columns]
    let result: String
    if block.width == block.height, block.width > 1 {
      result = try add(.reorganizeData, [x], sizes: target, named: name(for: call.output)) {
        $0.integer(1, 0)
        $0.integer(2, block.width)
      }
    } else {
      result = try rearranged(
        x, [channels, rows, block.height, columns, block.width], order: [2, 4, 0, 1, 3],
        to: target, named: name(for: call.output))
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func pad(_ call: CoreMLOperation, _ edges: Edges) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let target = CoreMLValue.sizes(sizes(call.output), in: .channelsFirst)
    let result = try add(.padding, [x], sizes: target, named: name(for: call.output)) {
      $0.message(1) { $0.float(1, 0) }
      $0.message(10) { $0.borders([edges.top, edges.left, edges.bottom, edges.right]) }
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func crop(_ call: CoreMLOperation, _ edges: Edges) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let result = try cropped(
      x, [edges.top, edges.left, edges.bottom, edges.right], named: name(for: call.output))
    set(call.output, .channelsFirst, result)
  }

  /// An image without its edges at the top, left, bottom and right.
  private mutating func cropped(
    _ x: String, _ edges: [Int], named: String?
  ) throws(ExportRefusal) -> String {
    var target = sizes(of: x)
    target[2] -= edges[0] + edges[2]
    target[3] -= edges[1] + edges[3]
    return try add(.crop, [x], sizes: target, named: named) { $0.message(1) { $0.borders(edges) } }
  }

  /// The height, width and channels of an image.
  private func image(_ value: OperationGraph.Value) -> (Int, Int, Int) {
    let valueSizes = sizes(value)
    return (valueSizes[0], valueSizes[1], valueSizes[2])
  }
}
