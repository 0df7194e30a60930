import Forge

extension ONNXOperators {
  /// The upper or the lower triangle of matrices.
  static func trilu(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let sizes = try input.lengthSizes()
    let rank = input.rank
    guard rank >= 2, input.sizes[rank - 2].multipliedSaturated(by: input.sizes[rank - 1]) <= 1 << 24
    else { throw NodeFailure.unsupported("a triangle of \(LengthSize.text(sizes))") }
    let (rows, columns) = (input.sizes[rank - 2], input.sizes[rank - 1])
    let offset = try call.knownInts(1, "k")?.first ?? 0
    let isUpper = call.node.int("upper", 1) != 0
    let kept = (0..<rows).flatMap { row in
      (0..<columns).map { column -> Float in
        let distance = column - row
        return (isUpper ? distance >= offset : distance <= offset) ? 1 : 0
      }
    }
    let values = [
      FileValue.network(
        try mask(HostTensor(floats: kept, sizes: [rows, columns]), Array(sizes.suffix(2)), input)),
      .network(input), .host(HostTensor(floats: [0], sizes: [])),
    ]
    let common = try commonLayout(values)
    let result = try call.apply(Where(), to: try values.map { try operand($0, common) })
    call.set(
      FileTensor(result, sizes: common.sizes, layout: common.layout, type: input.type))
  }

  /// The triangle for each length: that of a shorter sequence is the first part of the longest.
  private static func mask(
    _ longest: HostTensor, _ sizes: [LengthSize], _ input: FileTensor
  ) throws -> FileTensor {
    guard let maximum = input.maximumLength else {
      return try ONNXCall.constant(longest, layout: FileTensor.fileLayout(longest.sizes))
    }
    let all = try ONNXCall.lengthConstant(longest, maximum: maximum)
    let cuts = (0..<2).filter { sizes[$0].constant == nil }.map {
      ONNXLengths.Cut(axis: $0, start: LengthSize(0), end: sizes[$0])
    }
    return cuts.isEmpty ? all : try ONNXLengths.cut(all, cuts, maximum)
  }
}
