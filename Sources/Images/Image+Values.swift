import Forge

extension Image {
  /// Converts the picture to the input of a network.
  ///
  /// - Parameter preparation: the crop, the size and the normalization.
  /// - Returns: height × width × channels values, as `predict` takes them; channels × height ×
  ///   width values with `.channelsFirst`.
  /// - Throws: ``ImageError`` when a size, a rectangle or a number of factors is invalid, the
  ///   result exceeds the limits, a sample is not finite, or there is not enough memory.
  public func values(prepared preparation: ImagePreparation) throws(ImageError) -> TensorValues {
    try withView { view throws(ImageError) in try view.values(prepared: preparation) }
  }
}

extension ImageView {
  /// Converts the picture to the input of a network.
  ///
  /// An ``ImagePreparer`` does so for one picture after the other without allocations.
  ///
  /// - Parameter preparation: the crop, the size and the normalization.
  /// - Returns: height × width × channels values, as `predict` takes them; channels × height ×
  ///   width values with `.channelsFirst`.
  /// - Throws: ``ImageError`` when a size, a rectangle or a number of factors is invalid, the
  ///   result exceeds the limits, a sample is not finite, or there is not enough memory.
  public func values(prepared preparation: ImagePreparation) throws(ImageError) -> TensorValues {
    let (request, geometry) = try preparation.request(source, element: .float32)
    let plan = try PixelPlan(request)
    let planes = planes
    let count = plan.outputBytes / MemoryLayout<Float>.stride
    let values = try [Float](filling: count) { buffer throws(ImageError) in
      guard let base = buffer.baseAddress else { return 0 }
      try plan.run(planes, into: UnsafeMutableRawPointer(base))
      return count
    }
    let (size, channels) = (geometry.input, preparation.normalization.order.channels)
    guard preparation.layout == .channelsFirst else {
      return TensorValues(
        width: size.width, height: size.height, channels: channels, values: values)
    }
    return TensorValues(
      shape: Shape(sizes: [channels, size.height, size.width]), values: values)
  }
}
