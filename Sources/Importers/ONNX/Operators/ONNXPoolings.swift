import Forge

extension ONNXOperators {
  /// Poolings of one to three dimensions.
  static let poolings: [String: Operation] = [
    "MaxPool": { call in
      if call.node.int("storage_order") != 0 { throw NodeFailure.unsupported("storage_order 1") }
      if call.node.outputs.count > 1 { throw NodeFailure.unsupported("indices") }
      try pool(&call, .maximum)
    },
    "AveragePool": { call in
      let countsBorder = call.node.int("count_include_pad") != 0
      try pool(&call, countsBorder ? .averageAll : .averageInside)
    },
    "LpPool": { call in
      let p = call.node.int("p", 2)
      guard (1...64).contains(p) else { throw NodeFailure.invalid("p \(p)") }
      try pool(&call, .lp(p: p))
    },
    "GlobalAveragePool": { try globalPool(&$0, .mean) },
    "GlobalMaxPool": { try globalPool(&$0, .maximum) },
    "GlobalLpPool": { call in
      switch call.node.int("p", 2) {
      case 1: try globalPool(&call, .l1)
      case 2: try globalPool(&call, .l2)
      case let p: throw NodeFailure.unsupported("p \(p)")
      }
    },
  ]

  private static func pool(_ call: inout ONNXCall, _ kind: PoolingNDKind) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
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
      case .lp: break
      }
    }
    call.set(
      try examples(call, input, layout: axes) { name in
        PoolingND(
          kind, kernel: window.kernel, strides: window.strides, dilations: window.dilations,
          before: window.before, after: window.after, rounding: rounding, name: name)
      })
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
