import Forge
import ForgeOperations
import ForgeShapes

/// Operations that move, cut, join and repeat elements.
extension ONNXGraphWriter {
  mutating func pad(_ call: ONNXOperation, _ edges: Edges) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let result = add(
      "Pad",
      [
        x, integers([edges.top, edges.left, edges.bottom, edges.right]), number(0),
        integers([2, 3]),
      ], named: name(for: call.output))
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func crop(_ call: ONNXOperation, _ edges: Edges) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let inputSizes = sizes(call.inputs[0])
    let result = add(
      "Slice",
      [
        x, integers([edges.top, edges.left]),
        integers([inputSizes[0] - edges.bottom, inputSizes[1] - edges.right]), integers([2, 3]),
      ], named: name(for: call.output))
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func concatenate(_ call: ONNXOperation, axis: Int) throws(ExportRefusal) {
    var first: ONNXValue?
    for input in call.inputs where first == nil {
      let value = try value(input)
      if value.isBatched { first = value }
    }
    let rank = sizes(call.output).count
    let positiveAxis = axis < 0 ? axis + rank : axis
    // Vectors that are joined along a row or a column become images.
    var form = first?.primary ?? .plain
    if form == .flat, positiveAxis != 2 { form = .plain }
    guard let like = first?.names[first?.primary ?? .plain] else {
      throw ExportRefusal(what: "constants that are joined")
    }
    var names: [String] = []
    for input in call.inputs { names.append(try repeated(input, in: form, like: like)) }
    let result = add(
      "Concat", names, named: name(for: call.output),
      ("axis", .int(place(of: positiveAxis, in: form))))
    set(call.output, form, result, isBatched: true)
  }

  mutating func reshape(_ call: ONNXOperation) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let target = sizes(call.output)
    guard target != input.sizes else { return alias(call.output, input) }
    let isVector = target.count == 3 && target[0] == 1 && target[1] == 1
    let form: ONNXValue.Form = isVector ? .flat : .plain
    let source: String
    if let ordered = input.ordered, let name = input.names[ordered] {
      source = name
    } else {
      source = try name(of: call.inputs[0], in: .plain)
    }
    let sizes = isVector ? [target[2]] : target
    let result = add("Reshape", [source, integers([0] + sizes)], named: name(for: call.output))
    set(call.output, form, result, isBatched: input.isBatched)
  }

  mutating func permute(_ call: ONNXOperation, _ order: [Int]) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    if input.isImage, order == [2, 0, 1], let first = input.names[.channelsFirst] {
      // This is the order that the image has.
      return set(call.output, .plain, first, isBatched: input.isBatched)
    }
    if input.sizes.count == 3, order == [1, 2, 0], let plain = input.names[.plain] {
      return set(call.output, .channelsFirst, plain, isBatched: input.isBatched)
    }
    let result = add(
      "Transpose", [try name(of: call.inputs[0], in: .plain)], named: name(for: call.output),
      ("perm", .ints([0] + order.map { $0 + 1 })))
    set(call.output, .plain, result, isBatched: input.isBatched)
  }

  mutating func slice(
    _ call: ONNXOperation, starts: [Int], sizes: [Int], steps: [Int]
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let changed = sizes.indices.filter { sizes[$0] != input.sizes[$0] || steps[$0] != 1 }
    guard !changed.isEmpty else { return alias(call.output, input) }
    let form = input.primary == .flat && changed.contains { $0 != 2 } ? .plain : input.primary
    let ends = changed.map { axis in
      let end = starts[axis] + sizes[axis] * steps[axis]
      // Numbers below 0 would count from the end of the axis.
      return end < 0 ? -input.sizes[axis] - 1 : end
    }
    let result = add(
      "Slice",
      [
        try name(of: call.inputs[0], in: form), integers(changed.map { starts[$0] }),
        integers(ends), integers(changed.map { place(of: $0, in: form) }),
        integers(changed.map { steps[$0] }),
      ], named: name(for: call.output))
    set(call.output, form, result, isBatched: input.isBatched)
  }

  mutating func expand(_ call: ONNXOperation, _ sizes: [Int]) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .plain)
    let result = add("Expand", [x, integers([1] + sizes)], named: name(for: call.output))
    set(call.output, .plain, result, isBatched: try isBatched(call.inputs))
  }

  mutating func gather(
    _ call: ONNXOperation, axis: Int, indices: [Int], value: Float
  ) throws(ExportRefusal) {
    let input = try self.value(call.inputs[0])
    let axis = axis < 0 ? axis + input.sizes.count : axis
    let form = input.primary == .flat && axis != 2 ? .plain : input.primary
    let formAxis = place(of: axis, in: form)
    var x = try name(of: call.inputs[0], in: form)
    if indices.contains(-1) {
      // The entries of the fixed value follow those of the axis.
      x = add("Pad", [x, integers([0, 1]), number(value), integers([formAxis])])
    }
    let places = indices.map { $0 < 0 ? input.sizes[axis] : $0 }
    let result = add(
      "Gather", [x, integers(places)], named: name(for: call.output), ("axis", .int(formAxis)))
    set(call.output, form, result, isBatched: input.isBatched)
  }

  mutating func gatherRows(_ call: ONNXOperation, axis: Int) throws(ExportRefusal) {
    let data = try value(call.inputs[0])
    let places = try value(call.inputs[1])
    let axis = axis < 0 ? axis + data.sizes.count : axis
    let rank = data.sizes.count
    let count = places.sizes.count
    let ids = add(
      "Cast", [try name(of: call.inputs[1], in: .plain)], ("to", .int(7)))
    // The axis comes first, then the places take its place.
    let others = (0..<rank).filter { $0 != axis }
    var rows: String
    if data.isBatched {
      rows = try name(of: call.inputs[0], in: .plain)
      if axis != 0 {
        rows = add("Transpose", [rows], ("perm", .ints([0, axis + 1] + others.map { $0 + 1 })))
      }
      let all = try repeatedIndices(ids, places, like: rows)
      let single = add("Unsqueeze", [all, integers([-1])])
      rows = add("GatherND", [rows, single], ("batch_dims", .int(1)))
    } else {
      var table = try parameter(call.inputs[0], sizes: data.sizes)
      if axis != 0 { table = add("Transpose", [table], ("perm", .ints([axis] + others))) }
      rows = add("Gather", [table, ids], ("axis", .int(0)))
    }
    let name = name(for: call.output)
    let order =
      [0] + others.indices.prefix(axis).map { $0 + 1 + count } + (1...max(count, 1)).prefix(count)
      + others.indices.dropFirst(axis).map { $0 + 1 + count }
    let result =
      order == Array(0..<order.count)
      ? add("Identity", [rows], named: name)
      : add("Transpose", [rows], named: name, ("perm", .ints(order)))
    set(call.output, .plain, result, isBatched: data.isBatched || places.isBatched)
  }

  /// Indices for each example.
  private mutating func repeatedIndices(
    _ ids: String, _ places: ONNXValue, like rows: String
  ) throws(ExportRefusal) -> String {
    guard !places.isBatched else { return ids }
    let count = add("Shape", [rows], ("start", .int(0)), ("end", .int(1)))
    let target = add("Concat", [count, integers(places.sizes)], ("axis", .int(0)))
    return add("Expand", [ids, target])
  }

  mutating func gatherElements(_ call: ONNXOperation, axis: Int) throws(ExportRefusal) {
    let rank = sizes(call.inputs[0]).count
    let isBatched = try isBatched(call.inputs)
    let places = try name(of: call.inputs[1], in: .plain)
    let data: String
    let indices: String
    if isBatched {
      let like = try value(call.inputs[1]).isBatched ? places : name(of: call.inputs[0], in: .plain)
      data = try repeated(call.inputs[0], in: .plain, like: like)
      indices = try repeated(call.inputs[1], in: .plain, like: like)
    } else {
      data = try name(of: call.inputs[0], in: .plain)
      indices = places
    }
    let ids = add("Cast", [indices], ("to", .int(7)))
    let result = add(
      "GatherElements", [data, ids], named: name(for: call.output),
      ("axis", .int((axis < 0 ? axis + rank : axis) + 1)))
    set(call.output, .plain, result, isBatched: isBatched)
  }

  mutating func scatterElements(
    _ call: ONNXOperation, axis: Int, _ combination: ScatterCombination
  ) throws(ExportRefusal) {
    let rank = sizes(call.inputs[0]).count
    var operands: [String] = []
    let isBatched = try isBatched(call.inputs)
    var like: String?
    for input in call.inputs where like == nil {
      if try value(input).isBatched { like = try name(of: input, in: .plain) }
    }
    for input in call.inputs {
      if let like {
        operands.append(try repeated(input, in: .plain, like: like))
      } else {
        operands.append(try name(of: input, in: .plain))
      }
    }
    // ONNX has as many indices as updates.
    if sizes(call.inputs[1]) != sizes(call.inputs[2]) {
      operands[1] = add("Expand", [operands[1], add("Shape", [operands[2]])])
    }
    operands[1] = add("Cast", [operands[1]], ("to", .int(7)))
    let reduction =
      switch combination {
      case .replace: "none"
      case .add: "add"
      case .multiply: "mul"
      case .minimum: "min"
      case .maximum: "max"
      }
    let result = add(
      "ScatterElements", operands, named: name(for: call.output),
      ("axis", .int((axis < 0 ? axis + rank : axis) + 1)), ("reduction", .text(reduction)))
    set(call.output, .plain, result, isBatched: isBatched)
  }
}
