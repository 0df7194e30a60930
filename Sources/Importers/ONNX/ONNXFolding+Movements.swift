import Forge

/// Movements of known values.
extension ONNXFolding {
  /// The value itself.
  static func identity(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    set(&call, ifThere: hosts.first)
  }

  /// The values in a stated type.
  static func cast(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard let type = ElementType(onnx: Int32(clamping: call.node.int("to"))) else { return false }
    // Numbers of Float64 are held as Float32.
    if type == .float64, let host = hosts.first, host.isInteger {
      try ONNXCall.checkExact(host)
    }
    return set(&call, ifThere: try hosts.first?.cast(to: type))
  }

  /// The values in other sizes.
  static func reshape(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    let sizes = try ONNXReshape.target(call, from: hosts[0].sizes)
    set(&call, hosts[0].reshaped(sizes))
    return true
  }

  /// Two axes.
  static func flatten(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    set(&call, hosts[0].reshaped(try ONNXReshape.flattened(call, hosts[0].sizes)))
    return true
  }

  /// Axes of size 1 fewer.
  static func squeeze(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    set(&call, hosts[0].reshaped(try ONNXReshape.squeezed(call, hosts[0].sizes).sizes))
    return true
  }

  /// More axes of size 1.
  static func unsqueeze(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    set(&call, hosts[0].reshaped(try ONNXReshape.unsqueezed(call, hosts[0].sizes).sizes))
    return true
  }

  /// The axes in another order.
  static func transpose(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    let order = try ONNXReshape.order(call, rank: hosts[0].sizes.count)
    set(&call, try hosts[0].transposed(order))
    return true
  }

  /// Tensors in a row along an axis.
  static func concatenate(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard let first = hosts.first else { return false }
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: first.sizes.count)
    for host in hosts {
      var sizes = host.sizes
      guard sizes.count == first.sizes.count else {
        throw NodeFailure.invalid("tensors of ranks \(first.sizes.count) and \(sizes.count)")
      }
      sizes[axis] = first.sizes[axis]
      guard sizes == first.sizes else { throw NodeFailure.invalid("sizes that do not fit") }
    }
    set(&call, try HostTensor.concatenated(hosts, axis: axis))
    return true
  }

  /// Parts of axes.
  static func slice(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    var result = hosts[0]
    for part in try ONNXSlice.parts(call, sizes: result.sizes) {
      result = try result.sliced(
        axis: part.axis, start: part.start, count: part.count, step: part.step)
    }
    set(&call, result)
    return true
  }

  /// Places along an axis.
  static func gather(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 2 else { return false }
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: hosts[0].sizes.count)
    let size = hosts[0].sizes[axis]
    let positions = try hosts[1].integers().map { try ONNXCall.place(Int($0), of: size) }
    set(&call, try hosts[0].gathered(axis: axis, at: positions, sizes: hosts[1].sizes))
    return true
  }

  /// Axes of size 1 repeated.
  static func expand(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 2 else { return false }
    let wanted = try hosts[1].integers().map { Int($0) }
    guard let sizes = HostTensor.broadcast(hosts[0].sizes, wanted),
      let count = Shape.product(of: sizes), count <= 1 << 24
    else { return false }
    set(&call, try hosts[0].expanded(to: sizes))
    return true
  }
}
