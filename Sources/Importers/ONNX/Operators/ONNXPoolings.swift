import Forge

extension ONNXOperators {
  /// Poolings of one to three dimensions.
  static let poolings: [ONNXOperator] = [
    ONNXOperator(
      "MaxPool", import: maximumPool, fold: .none, bounds: nil,
      length: .importedBy(ONNXLengths.maximumPool), sizes: .none,
      examples: .apart(ONNXOpenRules.maximumPool, uniform: true)),
    .perExample("AveragePool", import: averagePool, length: .followed),
    .perExample("LpPool", import: normPool, length: .followed),
    .perExample("GlobalAveragePool", import: { try globalPool(&$0, .mean) }, length: .followed),
    .perExample("GlobalMaxPool", import: { try globalPool(&$0, .maximum) }, length: .followed),
    .perExample("GlobalLpPool", import: globalNormPool, length: .followed),
  ]

  /// The largest values of windows, and their places if they are asked for.
  static func maximumPool(_ call: inout ONNXCall) throws {
    try pool(&call, .maximum)
    if call.node.outputs.count > 1 { try places(&call) }
  }

  /// The means of windows.
  private static func averagePool(_ call: inout ONNXCall) throws {
    let countsBorder = call.node.int("count_include_pad") != 0
    try pool(&call, countsBorder ? .averageAll : .averageInside)
  }

  /// The norms of windows.
  private static func normPool(_ call: inout ONNXCall) throws {
    let p = call.node.int("p", 2)
    guard (1...64).contains(p) else { throw NodeFailure.invalid("p \(p)") }
    try pool(&call, .lp(p: p))
  }

  /// The norms of channels.
  private static func globalNormPool(_ call: inout ONNXCall) throws {
    switch call.node.int("p", 2) {
    case 1: try globalPool(&call, .l1)
    case 2: try globalPool(&call, .l2)
    case let p: throw NodeFailure.unsupported("p \(p)")
    }
  }

  private static func pool(_ call: inout ONNXCall, _ kind: PoolingNDKind) throws {
    let input = try call.network(0)
    // The largest of 8-bit integers is one of them.
    if kind != .maximum || ![.int8, .uint8].contains(input.type) { try call.refuseIntegers() }
    guard input.rank >= 3, let kernel = call.node.ints("kernel_shape"),
      kernel.count == input.rank - 2
    else { throw NodeFailure.invalid("a kernel for a tensor of rank \(input.rank)") }
    let window = try ONNXWindow(call.node, kernel: kernel, sizes: Array(input.sizes[2...]))
    let rounding: WindowRounding = call.node.int("ceil_mode") != 0 ? .ceiling : .floor
    let axes: [Int?] = Array(2..<input.rank) + [1]
    if input.rank == 4 {
      switch kind {
      case .maximum:
        call.set(
          try images(call, input) { name in
            MaxPooling(
              kernel: window.kernel2D, stride: window.stride2D, padding: window.padding,
              dilation: window.dilation2D, rounding: rounding, name: name)
          })
        return
      case .averageInside, .averageAll:
        let border: AveragePooling.Border = kind == .averageAll ? .counted : .excluded
        call.set(
          try images(call, input) { name in
            AveragePooling(
              kernel: window.kernel2D, stride: window.stride2D, padding: window.padding,
              border: border, dilation: window.dilation2D, rounding: rounding, name: name)
          })
        return
      case .lp, .maximumPlace: break
      }
    }
    call.set(
      try examples(call, input, layout: axes) { name in
        PoolingND(
          kind, kernel: window.kernel, strides: window.strides, dilations: window.dilations,
          before: window.before, after: window.after, rounding: rounding, name: name)
      })
  }

  /// The second output of MaxPool: the place of each maximum in the whole input, images and
  /// channels included.
  private static func places(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axes: [Int?] = Array(2..<input.rank) + [1]
    let window = try ONNXWindow(
      call.node, kernel: call.node.ints("kernel_shape") ?? [], sizes: Array(input.sizes[2...]))
    let rounding: WindowRounding = call.node.int("ceil_mode") != 0 ? .ceiling : .floor
    let sizes = Array(input.sizes[2...])
    let count = sizes.reduce(1, *)
    // Float has all whole numbers up to 2²⁴.
    guard input.count <= 1 << 24 else { throw NodeFailure.unsupported("indices of many values") }
    var places = try examples(call, input, layout: axes) { _ in
      PoolingND(
        .maximumPlace, kernel: window.kernel, strides: window.strides,
        dilations: window.dilations, before: window.before, after: window.after,
        rounding: rounding)
    }
    if call.node.int("storage_order") != 0 {
      guard sizes.count == 2 else { throw NodeFailure.unsupported("storage_order 1") }
      // The row and the column of a place, counted column by column.
      let row = try call.apply(
        Unary(.floor),
        to: try call.apply(Divide(by: [Float(sizes[1])]), to: places.tensor))
      let column = try call.apply(
        Subtract(), to: places.tensor,
        try call.apply(Scale(by: [Float(sizes[1])]), to: row))
      let place = try call.apply(
        Add(), to: row, try call.apply(Scale(by: [Float(sizes[0])]), to: column))
      places = FileTensor(place, sizes: places.sizes, layout: places.layout)
    }
    let starts = (0..<(input.sizes[0] * input.sizes[1])).map { Float($0 * count) }
    let channels = HostTensor(
      floats: starts, sizes: Array(input.sizes[..<2]) + sizes.map { _ in 1 })
    let offset = FileTensor(
      try ONNXCall.constant(channels, layout: [0, 1]).tensor, sizes: channels.sizes,
      layout: [0, 1])
    var result = try combined(&call, places, offset) { Add() }
    result.type = .int64
    call.set(result, output: 1)
  }

  private static func globalPool(_ call: inout ONNXCall, _ kind: Reduction) throws {
    let input = try call.network(0)
    guard input.rank >= 3 else { throw NodeFailure.invalid("a tensor of rank \(input.rank)") }
    call.set(
      try reduced(
        &call, input, kind, axes: Array(2..<input.rank), keepsDimensions: true,
        name: call.layerName))
  }
}
