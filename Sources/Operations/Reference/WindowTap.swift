import ForgeShapes

/// One pixel of a window that lies inside the image.
struct WindowTap {
  /// The row and column in the kernel.
  let v: Int, u: Int
  /// The row and column in the image.
  let y: Int, x: Int
}

extension ConvolutionGeometry {
  /// The taps of the window of output pixel (`y`, `x`) that lie inside the image.
  func taps(over input: ReferenceTensor, y: Int, x: Int) -> [WindowTap] {
    let border = edges(width: input.width, height: input.height)
    var taps: [WindowTap] = []
    for v in 0..<kernel.height {
      for u in 0..<kernel.width {
        let row = y * stride.height + v * dilation.height - border.top
        let column = x * stride.width + u * dilation.width - border.left
        if (0..<input.height).contains(row), (0..<input.width).contains(column) {
          taps.append(WindowTap(v: v, u: u, y: row, x: column))
        }
      }
    }
    return taps
  }
}
