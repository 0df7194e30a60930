/// Numbers over time: a row for each frame.
///
/// Rows are what Forge's layers of sequences take: (time, channels). librosa and PyTorch have a row
/// for each bin: ``transposed()``.
public struct Spectrogram: Hashable, Sendable {
  /// The numbers, a row after the other.
  public let values: [Float]
  /// The number of frames.
  public let frameCount: Int
  /// The numbers of a frame: bins, bands or coefficients; for complex numbers twice as many, the
  /// real and the imaginary part of each bin in turn.
  public let width: Int

  /// Creates a spectrogram.
  ///
  /// - Parameters:
  ///   - values: the numbers, a row for each frame.
  ///   - width: the numbers of a frame, at least 1.
  /// - Throws: ``AudioError`` when the rows do not fill the values.
  public init(_ values: [Float], width: Int) throws(AudioError) {
    guard width >= 1 else { throw .badArgument("the width", width, needs: "at least 1") }
    guard values.count.isMultiple(of: width) else {
      throw .wrongValueCount(values.count, needs: "rows of \(AudioError.counted(width, "value"))")
    }
    self.init(checked: values, width: width)
  }

  init(checked values: [Float], width: Int) {
    self.values = values
    self.width = width
    frameCount = values.count / width
  }

  /// The row of a frame.
  ///
  /// - Parameter index: the frame, counted from 0.
  /// - Returns: its numbers; `nil` if there is no such frame.
  public func frame(_ index: Int) -> ArraySlice<Float>? {
    guard 0..<frameCount ~= index else { return nil }
    return values[index * width..<(index + 1) * width]
  }

  /// The numbers with a row for each bin, as librosa and PyTorch have them.
  ///
  /// - Returns: `width` rows of ``frameCount`` numbers.
  public func transposed() -> [Float] {
    Memory.filled(values.count) { out in
      for frame in 0..<frameCount {
        for index in 0..<width { out[index * frameCount + frame] = values[frame * width + index] }
      }
    }
  }
}
