/// The order in which a caller holds the values of an image or of another tensor with channels.
public enum ImageLayout: Hashable, Sendable {
  /// The channels of a pixel are next to each other (HWC), as everywhere in Forge.
  case channelsLast
  /// One plane per channel (CHW), as in PyTorch and ONNX.
  case channelsFirst
}

extension ImageLayout {
  /// Writes `scale · x + bias` of each element in Forge's order, channels last.
  ///
  /// - Parameters:
  ///   - elements: the elements in this layout.
  ///   - channels: the size of the last axis, at least 1.
  ///   - scale: the factor.
  ///   - bias: the number added after the multiplication.
  ///   - target: memory for exactly as many numbers.
  @inlinable
  func write<Element: TensorElement>(
    _ elements: UnsafeBufferPointer<Element>, channels: Int, scale: Float, bias: Float,
    to target: UnsafeMutableBufferPointer<Float>
  ) {
    let pixels = elements.count / channels
    guard self == .channelsFirst, channels > 1, pixels > 1, pixels * channels == elements.count
    else {
      for index in elements.indices { target[index] = elements[index].float32 * scale + bias }
      return
    }
    for channel in 0..<channels {
      let plane = channel * pixels
      for pixel in 0..<pixels {
        target[pixel * channels + channel] = elements[plane + pixel].float32 * scale + bias
      }
    }
  }
}

extension Collection where Element: TensorElement {
  /// Passes the elements to `body` as contiguous memory, copied only if they are not contiguous.
  @inlinable
  func withContiguousElements<Result>(
    _ body: (UnsafeBufferPointer<Element>) -> Result
  ) -> Result {
    withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
  }

  /// `scale · x + bias` of each element, reordered from a layout to channels last.
  @inlinable
  func floats(scale: Float, bias: Float, layout: ImageLayout, channels: Int) -> [Float] {
    withContiguousElements { elements in
      Array(unsafeUninitializedCapacity: elements.count) { target, count in
        layout.write(
          elements, channels: Swift.max(channels, 1), scale: scale, bias: bias,
          to: UnsafeMutableBufferPointer(rebasing: target[..<elements.count]))
        count = elements.count
      }
    }
  }
}
