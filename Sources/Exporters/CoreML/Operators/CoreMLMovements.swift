import Forge
import ForgeOperations
import ForgeShapes

/// Operations that move, cut, join and repeat elements.
extension CoreMLGraphWriter {
  /// Where an axis of the network's tensor is in a form.
  func place(of axis: Int, in form: CoreMLValue.Form) -> Int {
    switch form {
    case .plain: axis
    case .channelsFirst: [2, 3, 1][axis]
    case .flat: 1
    }
  }

  /// The form of an operand in which some axes have places; vectors have only that of the channels.
  private func form(_ value: CoreMLValue, for axes: [Int]) -> CoreMLValue.Form {
    value.primary == .flat && axes.contains { $0 != 2 } ? .plain : value.primary
  }

  mutating func concatenate(_ call: CoreMLOperation, axis: Int) throws(ExportRefusal) {
    let rank = sizes(call.output).count
    let axis = axis < 0 ? axis + rank : axis
    // A constant takes the form of what is computed.
    var form = CoreMLValue.Form.plain
    for input in call.inputs where network.graph.constant(input) == nil {
      form = self.form(try value(input), for: [axis])
      break
    }
    var parts: [String] = []
    for input in call.inputs { parts.append(try name(of: input, in: form)) }
    guard parts.count > 1 else { return alias(call.output, try value(call.inputs[0])) }
    let result = try joined(
      parts, axis: place(of: axis, in: form), named: name(for: call.output))
    set(call.output, form, result)
  }

  mutating func reshape(_ call: CoreMLOperation) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let target = sizes(call.output)
    guard target != input.sizes else { return alias(call.output, input) }
    let form: CoreMLValue.Form = CoreMLValue.usualForm(target) == .flat ? .flat : .plain
    let source: String
    if let ordered = input.ordered, let name = input.names[ordered] {
      source = name
    } else {
      source = try name(of: call.inputs[0], in: .plain)
    }
    let result = try reshaped(
      source, to: CoreMLValue.sizes(target, in: form), named: name(for: call.output))
    set(call.output, form, result)
  }

  mutating func permute(_ call: CoreMLOperation, _ order: [Int]) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let target = sizes(call.output)
    if input.isImage, order == [2, 0, 1], let first = input.names[.channelsFirst] {
      // This is the order that the image has.
      return set(call.output, .plain, try reshaped(first, to: target))
    }
    if input.isImage, order == [1, 2, 0], let plain = input.names[.plain] {
      return set(call.output, .channelsFirst, try reshaped(plain, to: [1] + input.sizes))
    }
    let x = try name(of: call.inputs[0], in: .plain)
    let result =
      order.count <= Self.mostAxes
      ? try transposed(x, order, named: name(for: call.output))
      : try rearranged(x, input.sizes, order: order, to: target, named: name(for: call.output))
    set(call.output, .plain, result)
  }

  mutating func slice(
    _ call: CoreMLOperation, starts: [Int], sizes: [Int], steps: [Int]
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let changed = sizes.indices.filter { sizes[$0] != input.sizes[$0] || steps[$0] != 1 }
    let form = form(input, for: changed)
    let parts = changed.map {
      (axis: place(of: $0, in: form), start: starts[$0], count: sizes[$0], step: steps[$0])
    }
    let x = try name(of: call.inputs[0], in: form)
    set(call.output, form, try sliced(x, parts, named: name(for: call.output)))
  }

  mutating func expand(_ call: CoreMLOperation, _ target: [Int]) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .plain)
    set(call.output, .plain, try broadcast(x, to: target, named: name(for: call.output)))
  }

  mutating func gather(
    _ call: CoreMLOperation, axis: Int, indices: [Int], value: Float
  ) throws(ExportRefusal) {
    let input = try self.value(call.inputs[0])
    let axis = axis < 0 ? axis + input.sizes.count : axis
    let form = form(input, for: [axis])
    let place = place(of: axis, in: form)
    let result = try gathered(
      try name(of: call.inputs[0], in: form), axis: place, indices, value: value,
      named: name(for: call.output))
    set(call.output, form, result)
  }

  /// The entries of an axis at fixed indices; −1 stands for entries of `value`.
  mutating func gathered(
    _ x: String, axis: Int, _ places: [Int], value: Float = 0, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let from = sizes(of: x)
    let before = places.prefix { $0 < 0 }.count
    let inside = places.dropFirst(before).prefix { $0 >= 0 }
    let after = places.count - before - inside.count
    let step = inside.count > 1 ? inside[before + 1] - inside[before] : 1
    let isEven = step != 0 && zip(inside, inside.dropFirst()).allSatisfy { $1 - $0 == step }
    if let first = inside.first, isEven, places.suffix(after).allSatisfy({ $0 < 0 }) {
      // Entries in even steps are a slice, with entries of the value around it.
      let isPadded = before + after > 0
      let part = try sliced(
        x, axis: axis, from: first, count: inside.count, step: step,
        named: isPadded ? nil : named)
      return isPadded
        ? try padded(part, axis: axis, before, after, value: value, named: named) : part
    }
    // The entries of the value follow those of the axis.
    let source =
      places.contains(-1) ? try padded(x, axis: axis, 0, 1, value: value) : x
    let ids = try indices(places.map { $0 < 0 ? from[axis] : $0 }, sizes: [places.count])
    var target = from
    target[axis] = places.count
    return try add(.gather, [source, ids], sizes: target, named: named) { $0.integer(1, axis) }
  }

  /// A tensor with entries of a value at both ends of an axis.
  private mutating func padded(
    _ x: String, axis: Int, _ before: Int, _ after: Int, value: Float, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let from = sizes(of: x)
    var target = from
    target[axis] += before + after
    return try add(.constantPad, [x], sizes: target, named: named) { layer in
      layer.float(1, value)
      layer.integers(2, from.indices.flatMap { $0 == axis ? [before, after] : [0, 0] })
    }
  }

  mutating func gatherRows(
    _ call: CoreMLOperation, axis: Int, isChecked: Bool
  ) throws(ExportRefusal) {
    let data = sizes(call.inputs[0])
    let axis = axis < 0 ? axis + data.count : axis
    let places = try value(call.inputs[1]).sizes
    let ids = try name(of: call.inputs[1], in: .plain)
    let target = sizes(call.output)
    let outputName = name(for: call.output)
    if network.graph.constant(call.inputs[0]) != nil, data.count == 2, axis == 0,
      places.count < Self.mostAxes
    {
      // A table of the file is a parameter of the layer, with a column for each id.
      let (rows, channels) = (data[0], data[1])
      let table = try stored(call.inputs[0], count: rows * channels) { values in
        Self.channelsFirst(values, pixels: rows, channels: channels)
      }
      var last = try reshaped(ids, to: places + [1])
      if !isChecked {
        // Ids below 0 count from the end of the axis, which the layer does not know.
        let isBelow = try compared(.less, last, to: 0)
        last = try selected(isBelow, try shifted(last, by: Float(rows)), last)
      }
      let result = try add(.embedding, [last], sizes: places + [channels], named: outputName) {
        $0.integer(1, rows)
        $0.integer(2, channels)
        $0.flag(3, false)
        $0.numbers(20, table)
      }
      return set(call.output, .plain, try reshaped(result, to: target))
    }
    let x = try name(of: call.inputs[0], in: .plain)
    let made = Array(data[..<axis]) + places + Array(data[(axis + 1)...])
    let result = try add(.gather, [x, ids], sizes: made, named: outputName) { $0.integer(1, axis) }
    set(call.output, .plain, try reshaped(result, to: target))
  }

  mutating func gatherElements(_ call: CoreMLOperation, axis: Int) throws(ExportRefusal) {
    let rank = sizes(call.inputs[0]).count
    let axis = axis < 0 ? axis + rank : axis
    let (data, indices) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    var x = try name(of: call.inputs[0], in: .plain)
    let ids = try name(of: call.inputs[1], in: .plain)
    // The axes that are not indexed may be shorter than those of the data, but not for the layer.
    let parts = data.indices.filter { $0 != axis }.map {
      (axis: $0, start: 0, count: indices[$0], step: 1)
    }
    x = try sliced(x, parts)
    let result = try add(
      .gatherAlongAxis, [x, ids], sizes: indices, named: name(for: call.output)
    ) { $0.integer(1, axis) }
    set(call.output, .plain, result)
  }

  mutating func scatterElements(
    _ call: CoreMLOperation, axis: Int, _ combination: ScatterCombination
  ) throws(ExportRefusal) {
    let data = sizes(call.inputs[0])
    let axis = axis < 0 ? axis + data.count : axis
    let x = try name(of: call.inputs[0], in: .plain)
    let updates = try name(of: call.inputs[2], in: .plain)
    // The layer has as many indices as updates.
    let ids = try broadcast(
      try name(of: call.inputs[1], in: .plain), to: sizes(of: updates))
    let others = data.indices.filter { $0 != axis }
    guard others.allSatisfy({ sizes(of: updates)[$0] == data[$0] }) else {
      throw ExportRefusal(what: "updates of a part of a tensor")
    }
    let mode =
      switch combination {
      case .replace: 0
      case .add: 1
      case .multiply: 3
      case .maximum: 5
      case .minimum: 6
      }
    let result = try add(
      .scatterAlongAxis, [x, ids, updates], sizes: data, named: name(for: call.output)
    ) {
      $0.integer(1, axis)
      $0.integer(2, mode)
    }
    set(call.output, .plain, result)
  }
}
