import Forge
import ForgeOperations
import ForgeShapes

/// Operations that move, cut, join and repeat elements.
extension KerasGraphWriter {
  mutating func pad(_ call: KerasOperation, _ edges: Edges) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let made = sizes(call.output)
    set(
      call.output,
      to: layer(
        "ZeroPadding2D", x,
        [
          (
            "padding",
            .list([.integers([edges.top, edges.bottom]), .integers([edges.left, edges.right])])
          ), ("data_format", .text("channels_last")),
        ], sizes: made, named: isResult(call.output)))
  }

  mutating func crop(_ call: KerasOperation, _ edges: Edges) throws(ExportRefusal) {
    set(
      call.output,
      to: cropped(try plain(call.inputs[0]), edges, named: isResult(call.output)))
  }

  /// An image without its edges.
  mutating func cropped(_ x: KerasTensor, _ edges: Edges, named: Bool) -> KerasTensor {
    layer(
      "Cropping2D", x,
      [
        (
          "cropping",
          .list([.integers([edges.top, edges.bottom]), .integers([edges.left, edges.right])])
        ), ("data_format", .text("channels_last")),
      ],
      sizes: [
        x.sizes[0] - edges.top - edges.bottom, x.sizes[1] - edges.left - edges.right, x.sizes[2],
      ], named: named)
  }

  mutating func concatenate(_ call: KerasOperation, axis: Int) throws(ExportRefusal) {
    let made = sizes(call.output)
    let positive = axis < 0 ? axis + made.count : axis
    // Vectors are joined as vectors.
    let isFlat = Self.kerasSizes(made) != made && positive == made.count - 1
    var images: [KerasArgument] = []
    for input in call.inputs {
      let own = sizes(input)
      images.append(.tensor(try tensor(input, sizes: isFlat ? [own[own.count - 1]] : own)))
    }
    set(
      call.output,
      to: one(
        .layer("Concatenate"), [.list(images)],
        [("axis", .integer(isFlat ? -1 : positive == made.count - 1 ? -1 : positive + 1))],
        sizes: isFlat ? [made[made.count - 1]] : made, named: isResult(call.output)))
  }

  mutating func permute(_ call: KerasOperation, _ order: [Int]) throws(ExportRefusal) {
    guard order.count > 1 else { return try alias(call.output, call.inputs[0]) }
    set(
      call.output,
      to: permuted(try plain(call.inputs[0]), order, named: isResult(call.output)))
  }

  /// A tensor with its axes, examples excluded, in another order.
  mutating func permuted(
    _ x: KerasTensor, _ order: [Int], named isResult: Bool = false
  ) -> KerasTensor {
    guard order != Array(x.sizes.indices) else { return x }
    return layer(
      "Permute", x, [("dims", .integers(order.map { $0 + 1 }))],
      sizes: order.map { x.sizes[$0] }, named: isResult)
  }

  mutating func slice(
    _ call: KerasOperation, starts: [Int], sizes made: [Int], steps: [Int]
  ) throws(ExportRefusal) {
    let own = sizes(call.inputs[0])
    let changed = made.indices.filter { made[$0] != own[$0] || steps[$0] != 1 }
    guard !changed.isEmpty else { return try alias(call.output, call.inputs[0]) }
    // A vector stays one.
    let form = Self.kerasSizes(own)
    let primary = try value(call.inputs[0]).primary
    let isFlat = changed == [2] && primary == form && form != own
    let axes = isFlat ? [2] : Array(made.indices)
    let x = try tensor(call.inputs[0], sizes: axes.map { own[$0] })
    let parts = axes.map { axis in
      let end = starts[axis] + made[axis] * steps[axis]
      // Numbers below 0 would count from the end of the axis.
      return KerasArgument.json(
        changed.contains(axis)
          ? .slice(starts[axis], end < 0 ? nil : min(end, own[axis]), steps[axis])
          : .slice(nil, nil, nil))
    }
    set(
      call.output,
      to: one(
        .numpy("GetItem"), [.tensor(x), .list([.json(.slice(nil, nil, nil))] + parts)],
        sizes: axes.map { made[$0] }, named: isResult(call.output)))
  }

  mutating func expand(_ call: KerasOperation, _ target: [Int]) throws(ExportRefusal) {
    let (own, made) = (sizes(call.inputs[0]), sizes(call.output))
    let wide = Array(repeating: 1, count: made.count - own.count) + own
    let x = try tensor(call.inputs[0], sizes: wide)
    set(call.output, to: tiled(x, to: made, named: isResult(call.output)))
  }

  /// A tensor whose axes of one element are repeated.
  mutating func tiled(
    _ x: KerasTensor, to made: [Int], named isResult: Bool = false
  ) -> KerasTensor {
    guard x.sizes != made else { return x }
    let repeats = zip(made, x.sizes).map { $0 / max($1, 1) }
    return one(
      .numpy("Tile"), [.tensor(x)], [("repeats", .integers([1] + repeats))], sizes: made,
      type: x.type, named: isResult)
  }

  mutating func gather(
    _ call: KerasOperation, axis: Int, indices: [Int], value: Float
  ) throws(ExportRefusal) {
    let own = sizes(call.inputs[0])
    let axis = axis < 0 ? axis + own.count : axis
    var x = try plain(call.inputs[0])
    if indices.contains(-1) {
      // The entry of the fixed value follows those of the axis.
      x = padded(x, own.indices.map { [0, $0 == axis ? 1 : 0] }, value: value)
    }
    set(
      call.output,
      to: one(
        .numpy("Take"), [.tensor(x), integers(indices.map { $0 < 0 ? own[axis] : $0 })],
        [("axis", .integer(axis + 1))], sizes: sizes(call.output),
        named: isResult(call.output)))
  }

  mutating func gatherRows(
    _ call: KerasOperation, axis: Int, isChecked: Bool
  ) throws(ExportRefusal) {
    let (data, places) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    let axis = axis < 0 ? axis + data.count : axis
    let others = data.indices.filter { $0 != axis }
    let rest = others.map { data[$0] }
    let count = rest.reduce(1, *)
    let form = places.isEmpty ? [1] : places
    let isResult = isResult(call.output)
    // The places' axes, then those of the data without the axis that they choose from.
    var rows: KerasTensor
    if isConstant(call.inputs[0]) {
      let table = try weight(
        call.inputs[0], from: data, order: [axis] + others, to: [data[axis], count])
      let stored = try value(call.inputs[1])
      let ids: KerasTensor
      if isChecked, let integers = stored.integers {
        ids = integers
      } else {
        ids = try index(call.inputs[1], form: form, size: data[axis], isChecked: isChecked)
      }
      let isDirect = ids.sizes == places && rest.count == 1 && axis == 0
      rows = layer(
        "Embedding", ids,
        [
          ("input_dim", .integer(data[axis])), ("output_dim", .integer(count)),
          ("mask_zero", .flag(false)),
        ], weights: [table], sizes: ids.sizes + [count], named: isResult && isDirect)
    } else {
      let moved = permuted(try plain(call.inputs[0]), [axis] + others)
      let flat = reshaped(moved, to: [data[axis], count])
      let ids = try index(call.inputs[1], form: form, size: data[axis], isChecked: isChecked)
      var column = reshaped(ids, to: [form.reduce(1, *), 1])
      column.type = "int32"
      let wide = tiled(column, to: [form.reduce(1, *), count])
      rows = one(
        .numpy("TakeAlongAxis"), [.tensor(flat), .tensor(wide)], [("axis", .integer(1))],
        sizes: wide.sizes)
    }
    rows = reshaped(rows, to: places + rest)
    let order =
      others.indices.prefix(axis).map { $0 + places.count } + places.indices
      + others.indices.dropFirst(axis).map { $0 + places.count }
    if order.count > 1 { rows = permuted(rows, Array(order)) }
    set(call.output, to: rows)
  }

  /// Numbers as the indices of an axis; those below 0 count from its end unless they are checked.
  private mutating func index(
    _ value: OperationGraph.Value, form: [Int], size: Int, isChecked: Bool
  ) throws(ExportRefusal) -> KerasTensor {
    var x = try tensor(value, sizes: form)
    if !isChecked {
      let isBelow = pair("Less", x, 0, type: "bool")
      x = one(
        .numpy("Where"),
        [.tensor(isBelow), .tensor(pair("Add", x, Float(size))), .tensor(x)], sizes: x.sizes)
    }
    return cast(x, to: "int32")
  }

  mutating func gatherElements(_ call: KerasOperation, axis: Int) throws(ExportRefusal) {
    let (data, places) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    let axis = axis < 0 ? axis + data.count : axis
    var x = try plain(call.inputs[0])
    // The other axes have as many elements as the places.
    let ends = data.indices.map { $0 == axis ? data[$0] : places[$0] }
    if ends != data {
      x = one(
        .numpy("GetItem"),
        [
          .tensor(x),
          .list([.json(.slice(nil, nil, nil))] + ends.map { .json(.slice(0, $0, 1)) }),
        ], sizes: ends)
    }
    let ids = try index(call.inputs[1], form: places, size: data[axis], isChecked: false)
    set(
      call.output,
      to: one(
        .numpy("TakeAlongAxis"), [.tensor(x), .tensor(ids)], [("axis", .integer(axis + 1))],
        sizes: places, named: isResult(call.output)))
  }

  /// The most updates that are written, each as a few operations.
  private static let mostUpdates = 64

  mutating func scatterElements(
    _ call: KerasOperation, axis: Int, _ combination: ScatterCombination
  ) throws(ExportRefusal) {
    let data = sizes(call.inputs[0])
    let (places, updates) = (sizes(call.inputs[1]), sizes(call.inputs[2]))
    let axis = axis < 0 ? axis + data.count : axis
    guard updates[axis] <= Self.mostUpdates else {
      throw ExportRefusal(what: "more than \(Self.mostUpdates) updates along an axis")
    }
    var x = try plain(call.inputs[0])
    let ids = try index(call.inputs[1], form: places, size: data[axis], isChecked: false)
    let numbers = cast(ids)
    let changes = try plain(call.inputs[2])
    let line = data.indices.map { $0 == axis ? data[axis] : 1 }
    let along = self.numbers((0..<data[axis]).map { Float($0) }, sizes: line)
    // Elements beyond the updates stay: the places there are none of the axis.
    let pads = data.indices.map { [0, $0 == axis ? 0 : data[$0] - updates[$0]] }
    for update in 0..<updates[axis] {
      func part(_ tensor: KerasTensor, _ writer: inout KerasGraphWriter) -> KerasTensor {
        guard tensor.sizes[axis] > 1 else { return tensor }
        let parts = data.indices.map { place in
          KerasArgument.json(
            place == axis ? .slice(update, update + 1, 1) : .slice(nil, nil, nil))
        }
        return writer.one(
          .numpy("GetItem"), [.tensor(tensor), .list([.json(.slice(nil, nil, nil))] + parts)],
          sizes: data.indices.map { $0 == axis ? 1 : tensor.sizes[$0] })
      }
      var place = part(numbers, &self)
      var change = part(changes, &self)
      let row = data.indices.map { $0 == axis ? 1 : updates[$0] }
      place = tiled(place, to: row)
      if pads.contains(where: { $0[1] > 0 }) {
        place = padded(place, pads, value: -1)
        change = padded(change, pads, value: 0)
      }
      let isHere = one(.numpy("Equal"), [.tensor(place), along], sizes: data, type: "bool")
      let combined: KerasTensor =
        switch combination {
        case .replace: change
        case .add: pair("Add", x, change)
        case .multiply: pair("Multiply", x, change)
        case .minimum: pair("Minimum", x, change)
        case .maximum: pair("Maximum", x, change)
        }
      x = one(
        .numpy("Where"), [.tensor(isHere), .tensor(combined), .tensor(x)], sizes: data,
        named: isResult(call.output) && update == updates[axis] - 1)
    }
    set(call.output, to: x)
  }
}
