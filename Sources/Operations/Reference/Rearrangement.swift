import ForgeShapes

/// Operations that move, cut or join elements and compute nothing.
extension Primitive {
  /// Zeros around an image.
  static func pad(_ input: ReferenceTensor, by edges: Edges, output: [Int]) -> ReferenceTensor {
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<input.height {
      for x in 0..<input.width {
        for c in 0..<input.channels {
          result[y + edges.top, x + edges.left, c] = input[y, x, c]
        }
      }
    }
    return result
  }

  /// Edges cut from an image.
  static func crop(_ input: ReferenceTensor, by edges: Edges, output: [Int]) -> ReferenceTensor {
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        for c in 0..<result.channels {
          result[y, x, c] = input[y + edges.top, x + edges.left, c]
        }
      }
    }
    return result
  }

  /// Tensors one after the other along an axis.
  static func concatenate(
    _ inputs: [ReferenceTensor], axis: Int, output: [Int]
  ) throws(ReferenceError) -> ReferenceTensor {
    let along: Int
    do {
      along = try CombinationRule.axis(axis, rank: output.count)
    } catch { throw .shape(error) }
    var result = ReferenceTensor(sizes: output, repeating: 0)
    var start = 0
    for input in inputs {
      ReferenceTensor.forEachIndex(of: input.sizes) { index in
        var moved = index
        moved[along] += start
        result.values[result.offset(of: moved)] = input.values[input.offset(of: index)]
      }
      start += input.sizes[along]
    }
    return result
  }

  /// Axis `i` of the output is axis `order[i]` of the input.
  static func permute(_ input: ReferenceTensor, order: [Int], output: [Int]) -> ReferenceTensor {
    var values: [Double] = []
    ReferenceTensor.forEachIndex(of: output) { index in
      var source = index
      for (axis, from) in order.enumerated() { source[from] = index[axis] }
      values.append(input.values[input.offset(of: source)])
    }
    return ReferenceTensor(unchecked: output, values)
  }

  /// Channel `i` of the output is channel `order[i]` of the input.
  static func gatherChannels(
    _ input: ReferenceTensor, order: [Int], output: [Int]
  ) throws(ReferenceError) -> ReferenceTensor {
    guard !order.isEmpty else { throw .emptyOrder() }
    for channel in order where !(0..<input.channels).contains(channel) {
      throw .channelOutOfRange(channel, channels: input.channels)
    }
    var values: [Double] = []
    for pixel in 0..<input.height * input.width {
      for channel in order { values.append(input.values[pixel * input.channels + channel]) }
    }
    return ReferenceTensor(unchecked: output, values)
  }
}
