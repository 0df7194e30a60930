import Forge

/// Quantization and its inverse on values that are known while importing, such as weights.
enum ONNXQuantization {
  /// Computes `(x − zero point) · scale`, per tensor or along an axis.
  static func dequantize(_ call: inout ONNXCall) throws -> Bool {
    guard let host = call.host(0), let steps = try Steps(call, host) else { return false }
    let held = try ImportBudget.hold(host.count, width: MemoryLayout<Float>.size)
    let values = steps.map(try host.floats()) { value, zero, scale in (value - zero) * scale }
    let type = try dequantizedType(call)
    var result = HostTensor(floats: values, sizes: host.sizes)
    result.held = held
    result = try result.cast(to: type)
    result.scales = type == .float32 ? steps.scales : nil
    call.set(.host(result))
    return true
  }

  /// Computes `round(x / scale) + zero point`, halves to even, per tensor or along an axis.
  static func quantize(_ call: inout ONNXCall) throws -> Bool {
    guard let host = call.host(0), !host.isInteger, let steps = try Steps(call, host) else {
      return false
    }
    let (type, range) = try result(of: call)
    let held = try ImportBudget.hold(host.count, width: MemoryLayout<Int64>.size)
    let values = steps.map(try host.floats()) { value, zero, scale in
      let level = (value / scale).rounded(.toNearestOrEven) + zero
      return Int64(saturating: min(max(level, range.lowerBound), range.upperBound))
    }
    var levels = HostTensor(integers: values, sizes: host.sizes, type: type)
    levels.held = held
    call.set(.host(levels))
    return true
  }

  /// The type of a quantized result, that of the zero point or the one that is stated, and its
  /// smallest and largest number.
  static func result(of call: ONNXCall) throws -> (ElementType, ClosedRange<Float>) {
    let type = call.has(2) ? try call.value(2).type : try statedType(call) ?? .uint8
    switch type {
    case .uint8: return (type, 0...255)
    case .int8: return (type, -128...127)
    default: throw NodeFailure.unsupported("quantization to \(type.rawValue)")
    }
  }

  /// The type of a result that is quantized no longer: the stated one, or that of the scale.
  static func dequantizedType(_ call: ONNXCall) throws -> ElementType {
    let type = try statedType(call) ?? call.value(1).type
    guard [.float32, .float16, .bfloat16].contains(type) else {
      throw NodeFailure.unsupported("a scale or a result of \(type.rawValue)")
    }
    return type
  }

  /// The type that a node states.
  private static func statedType(_ call: ONNXCall) throws -> ElementType? {
    let number = Int32(clamping: call.node.int("output_dtype"))
    guard number != 0 else { return nil }
    guard let type = ElementType(onnx: number) else {
      throw NodeFailure.unsupported("type \(ONNXTypeName.name(number))")
    }
    return type
  }

  /// The scales and zero points of a tensor's elements.
  private struct Steps {
    let scales: [Float]
    private let zeros: [Float]
    /// The number of elements behind each index of the axis.
    private let inner: Int

    /// The steps of a node; `nil` for steps in blocks and those computed at run time.
    init?(_ call: ONNXCall, _ host: HostTensor) throws {
      guard call.node.int("block_size") == 0, let scale = call.host(1),
        call.host(2) != nil || !call.has(2)
      else { return nil }
      if case .repeated = host.storage { try ONNXCall.checkConstant(host.sizes) }
      let scales = try scale.floats()
      let zeros = try call.host(2)?.floats() ?? Array(repeating: 0, count: scales.count)
      let sizes = host.sizes
      let axis =
        scales.count == 1 ? 0 : try ONNXCall.axis(call.node.int("axis", 1), rank: sizes.count)
      guard zeros.count == scales.count, scales.count == 1 || scales.count == sizes[axis] else {
        throw NodeFailure.invalid("\(scales.count) scales of an axis of \(sizes)")
      }
      (self.scales, self.zeros) = (scales, zeros)
      inner = max(sizes.dropFirst(axis + 1).reduce(1, *), 1)
    }

    /// Returns the results of `transform` for each value with its zero point and its scale.
    @inline(__always)
    func map<Result: BitwiseCopyable>(
      _ values: [Float], _ transform: (Float, _ zero: Float, _ scale: Float) -> Result
    ) -> [Result] {
      let run = scales.count == 1 ? values.count : inner
      return [Result](unsafeUninitializedCapacity: values.count) { results, count in
        var (first, channel) = (0, 0)
        while first < values.count {
          let (zero, scale) = (zeros[channel], scales[channel])
          let last = min(first + run, values.count)
          for index in first..<last {
            results.initializeElement(at: index, to: transform(values[index], zero, scale))
          }
          first = last
          channel = channel + 1 < scales.count ? channel + 1 : 0
        }
        count = values.count
      }
    }
  }
}
