#if Macros
  import Forge

  /// A picture whose sizes are part of its type.
  ///
  /// ```swift
  /// let picture = try FixedImage<28, 28, 1>(values: pixels)  // 784 numbers
  /// ```
  public struct FixedImage<let width: Int, let height: Int, let channels: Int>: FixedTensor {
    /// The values: rows, in each row pixels, in each pixel channels.
    public private(set) var values: [Float]

    /// Width, height and channels.
    public static var shape: Shape { Shape(width: width, height: height, channels: channels) }

    /// Creates a picture of values whose number has been checked.
    public init(checked values: [Float]) { self.values = values }

    /// Lets `body` change the values, of which the number stays.
    ///
    /// - Parameter body: changes the values.
    /// - Throws: what `body` throws.
    public mutating func withMutableValues<Failure: Error>(
      _ body: (inout MutableSpan<Float>) throws(Failure) -> Void
    ) throws(Failure) {
      var span = values.mutableSpan
      try body(&span)
    }

    /// Creates a picture of exactly the pixels of its type.
    ///
    /// - Parameter rows: rows of pixels of channels; literals of other lengths do not compile.
    public init(
      rows: InlineArray<height, InlineArray<width, InlineArray<channels, Float>>>
    ) {
      var values: [Float] = []
      values.reserveCapacity(Self.elementCount)
      for y in rows.indices {
        for x in rows[y].indices {
          for channel in rows[y][x].indices { values.append(rows[y][x][channel]) }
        }
      }
      self.values = values
    }

    /// One value.
    ///
    /// - Parameters:
    ///   - x: the column, from 0 to `width` − 1; any other traps, as an index of an array.
    ///   - y: the row, from 0 to `height` − 1.
    ///   - channel: the channel, from 0 to `channels` − 1.
    public subscript(x x: Int, y y: Int, channel channel: Int = 0) -> Float {
      precondition(x >= 0 && x < width, "column \(x) of \(width)")
      precondition(channel >= 0 && channel < channels, "channel \(channel) of \(channels)")
      return values[(y * width + x) * channels + channel]
    }
  }
#endif
