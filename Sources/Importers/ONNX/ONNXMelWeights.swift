import Forge
import ForgeSystem

extension ONNXWindows {
  /// Triangles of equal width on the mel scale, `[dft_length / 2 + 1][num_mel_bins]`.
  ///
  /// A frequency of f hertz is `2595·log₁₀(1 + f / 700)` mel. The corners of the triangles are
  /// whole bins of the transform: the integer parts of `(dft_length + 1)·f / sample_rate`.
  static func melWeights(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 5,
      let type = ElementType(onnx: Int32(clamping: call.node.int("output_datatype", 1))),
      !type.isInteger
    else { return false }
    let counts = try hosts.prefix(3).map { try $0.integers().first ?? 0 }
    let edges = try hosts.suffix(2).map { Double(try $0.floats().first ?? 0) }
    guard counts.allSatisfy({ (1...(1 << 24)).contains($0) }), edges[0] >= 0,
      edges[1] >= edges[0], edges[1].isFinite
    else { throw NodeFailure.invalid("\(counts) and edges of \(edges) hertz") }
    let (bands, length, rate) = (Int(counts[0]), Int(counts[1]), Double(counts[2]))
    let sizes = [length / 2 + 1, bands]
    try ONNXCall.checkConstant(sizes)

    let mel = edges.map { 2595 * log10(1 + $0 / 700) }
    let step = (mel[1] - mel[0]) / Double(bands + 2)
    let corners = (0..<bands + 2).map { corner in
      let hertz = 700 * (pow(10, (Double(corner) * step + mel[0]) / 2595) - 1)
      return Int((Double(length + 1) * hertz / rate).rounded(.down))
    }
    guard corners.allSatisfy({ (0..<sizes[0]).contains($0) }) else {
      throw NodeFailure.invalid("an edge of \(edges[1]) hertz, above half the sample rate")
    }
    let held = try ImportBudget.hold(sizes[0] * bands, width: MemoryLayout<Float>.size)
    var values = [Float](repeating: 0, count: sizes[0] * bands)
    for band in 0..<bands {
      let (low, center, high) = (corners[band], corners[band + 1], corners[band + 2])
      for bin in low...center {
        values[bin * bands + band] =
          center == low ? 1 : Float(bin - low) / Float(center - low)
      }
      for bin in center..<high where high > center {
        values[bin * bands + band] = Float(high - bin) / Float(high - center)
      }
    }
    var weights = HostTensor(floats: values, sizes: sizes)
    weights.held = held
    ONNXFolding.set(&call, try weights.cast(to: type))
    return true
  }
}
