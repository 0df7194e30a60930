import CForgePixels

/// The form of a picture in memory, without its bytes.
package struct PixelSource: Equatable {
  let width: Int
  let height: Int
  /// The number of the C module, for pictures and frames.
  let kind: Int32
  let samples: SampleType
  /// Whether a pixel has an alpha that counts.
  let hasAlpha: Bool
  /// Whether the file's alpha is to be overlooked.
  let ignoresAlpha: Bool
  let colors: FrameColors

  package init(
    width: Int, height: Int, format: PixelFormat, samples: SampleType, ignoresAlpha: Bool = false
  ) {
    self.width = width
    self.height = height
    self.kind = format.kind
    self.samples = samples
    self.hasAlpha = format.hasAlpha && !ignoresAlpha
    self.ignoresAlpha = ignoresAlpha
    self.colors = FrameColors()
  }

  package init(width: Int, height: Int, frame: FrameFormat, colors: FrameColors) {
    self.width = width
    self.height = height
    self.kind = frame.kind
    self.samples = .uint8
    self.hasAlpha = false
    self.ignoresAlpha = true
    self.colors = colors
  }

  var isGray: Bool { kind == PixelFormat.gray.kind }
  package var isFrame: Bool { kind >= Int32(FORGE_PIXELS_I420.rawValue) }
}

/// The place of a picture's rows in memory.
package struct PixelPlanes {
  package typealias Plane = UnsafePointer<UInt8>?

  /// Row 0 of each plane.
  package var rows: (Plane, Plane, Plane) = (nil, nil, nil)
  /// The bytes from row to row; negative for pictures from bottom to top.
  package var strides: (Int64, Int64, Int64) = (0, 0, 0)

  package init(
    rows: (Plane, Plane, Plane) = (nil, nil, nil), strides: (Int64, Int64, Int64) = (0, 0, 0)
  ) {
    self.rows = rows
    self.strides = strides
  }
}
