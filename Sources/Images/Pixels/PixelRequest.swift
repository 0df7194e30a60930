import CForgePixels

/// What a plan does with a picture.
package struct PixelRequest {
  /// The picture's form.
  let source: PixelSource
  /// Whether working rows have one channel.
  var isGray: Bool
  /// What happens to alpha.
  var alpha = FORGE_ALPHA_KEPT
  /// The color behind transparent pixels.
  var background = PixelColor.white
  /// How pixels are resampled; `nil` leaves them as they are.
  var filter: ResamplingFilter?
  /// The columns that are used.
  var columns: AxisPart
  /// The rows that are used.
  var rows: AxisPart
  /// The size to which the whole picture would be resampled: the order of the axes depends on it.
  var wholeWidth: Int
  var wholeHeight: Int
  /// What is written.
  var target: PixelTarget
  /// The size of the output, with its border.
  var width: Int
  var height: Int
  /// The place of the resampled picture in the output.
  var left = 0
  var top = 0
  /// The color of the border.
  var border = PixelColor.black
  /// The threads that share the rows at most.
  var threads = 1
  /// The instructions that are used.
  package var level = forge_best_level()

  /// Whether the resampling keeps every pixel.
  var isUnchanged: Bool { columns.isUnchanged && rows.isUnchanged }
}

/// What a plan writes.
enum PixelTarget {
  /// Pixels, `rowBytes` from row to row.
  case pixels(PixelFormat, SampleType, rowBytes: Int)
  /// Values of a network's input.
  case values(PixelValues)
}

/// The values into which a plan turns pixels.
struct PixelValues {
  enum Element { case float32, uint8, int8 }

  let element: Element
  /// The working channel of each value.
  let lanes: [Int32]
  /// `y = x · scale + bias` for each value, where `x` is 0 to 255.
  let scale: [Double]
  let bias: [Double]
  let isChannelsFirst: Bool
  /// Subtracted from each value, laid out as the output.
  let mean: [Float]?

  var channels: Int { scale.count }
}
