import ForgeOperations
import ForgeShapes

/// Removes the outer rows and columns of a kernel that read nothing but padding.
///
/// They occur where the dilation exceeds the image, as in atrous spatial pyramid pooling: of 3×3
/// taps 36 pixels apart on an image of 33 pixels, only the middle one ever reads a pixel. Networks
/// for sequences of any length keep all taps, which the longest may read.
enum DropUnreachedTaps: Rewrite {
  static let name = "dropUnreachedTaps"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    guard !graph.hasVaryingLength else { return 0 }
    var count = 0
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .convolution(let geometry, let outputs, let groups) = node.primitive,
        geometry.kernel != .one, let weights = graph.constant(node.inputs[1]),
        let input = graph.shape(of: node.inputs[0]).sizes,
        let output = graph.shape(of: node.output).sizes,
        let sizes = graph.shape(of: node.inputs[1]).sizes, sizes.count == 4
      else { continue }
      let edges = geometry.edges(width: input[1], height: input[0])
      let rows = reached(
        taps: geometry.kernel.height, dilation: geometry.dilation.height, before: edges.top,
        stride: geometry.stride.height, input: input[0], output: output[0])
      let columns = reached(
        taps: geometry.kernel.width, dilation: geometry.dilation.width, before: edges.left,
        stride: geometry.stride.width, input: input[1], output: output[1])
      guard rows.count < geometry.kernel.height || columns.count < geometry.kernel.width,
        !rows.isEmpty, !columns.isEmpty,
        let trimmed = trimmed(geometry, edges, rows, columns)
      else { continue }
      graph.nodes[position].primitive = .convolution(trimmed, outputs: outputs, groups: groups)
      let (rowStride, pixelStride) = (sizes[2] * sizes[3], sizes[3])
      let kept = [sizes[0], rows.count, columns.count, sizes[3]]
      graph.nodes[position].inputs[1] = graph.addValue(
        Shape(sizes: kept),
        .constant(
          .strided(
            weights, count: sizes.reduce(1, *),
            start: rows.lowerBound * rowStride + columns.lowerBound * pixelStride, sizes: kept,
            strides: [sizes[1] * rowStride, rowStride, pixelStride, 1])))
      count += 1
    }
    return count
  }

  /// The taps along one axis without those at the ends that never read a pixel.
  private static func reached(
    taps: Int, dilation: Int, before: Int, stride: Int, input: Int, output: Int
  ) -> Range<Int> {
    let reads = (0..<taps).filter { tap in
      // The first window whose tap is not before the image, and where this tap then is.
      let offset = tap * dilation - before
      let window = offset >= 0 ? 0 : (stride - 1 - offset) / stride
      return window < output && window * stride + offset < input
    }
    guard let first = reads.first, let last = reads.last else { return 0..<0 }
    return first..<last + 1
  }

  /// The geometry of the taps that are left; `nil` if it is none.
  ///
  /// A window that would start behind the first pixel leaves the geometry as it is: there is no
  /// negative padding.
  private static func trimmed(
    _ geometry: ConvolutionGeometry, _ edges: Edges, _ rows: Range<Int>, _ columns: Range<Int>
  ) -> ConvolutionGeometry? {
    let cut = Edges(
      top: rows.lowerBound * geometry.dilation.height,
      left: columns.lowerBound * geometry.dilation.width,
      bottom: (geometry.kernel.height - rows.upperBound) * geometry.dilation.height,
      right: (geometry.kernel.width - columns.upperBound) * geometry.dilation.width)
    guard edges.top >= cut.top, edges.left >= cut.left, edges.bottom >= cut.bottom,
      edges.right >= cut.right
    else { return nil }
    return ConvolutionGeometry(
      kernel: Size(width: columns.count, height: rows.count), stride: geometry.stride,
      dilation: Size(
        width: columns.count == 1 ? 1 : geometry.dilation.width,
        height: rows.count == 1 ? 1 : geometry.dilation.height),
      padding: .edges(
        Edges(
          top: edges.top - cut.top, left: edges.left - cut.left,
          bottom: edges.bottom - cut.bottom, right: edges.right - cut.right)),
      rounding: geometry.rounding)
  }
}
