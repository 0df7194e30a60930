import Forge

extension ImageTask where Reading == Image {
  /// A network that returns a picture, such as one in another style or at a higher resolution.
  ///
  /// ```swift
  /// let style = try ImageTask.transformer(
  ///   network, preparation: ImagePreparation(normalization: .raw), range: 0...255)
  /// try style.predict(contentsOf: "street.jpg").write(to: "candy.png")
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network, one output of which is height × width × channels, of 1, 3 or 4
  ///     channels.
  ///   - preparation: what is done with each picture; see ``init(_:preparation:input:read:)``.
  ///   - input: the name of the input that receives the picture; by default the only one.
  ///   - output: the name of the output; by default the first one.
  ///   - range: the values of black and white; values outside become black or white.
  ///   - keepsSize: whether the result gets the size of the picture; otherwise it has that of the
  ///     output.
  /// - Returns: the transformer.
  /// - Throws: ``ImageError`` as ``init(_:preparation:input:read:)``, and when there is no such
  ///   output.
  public static func transformer(
    _ network: CompiledModel, preparation: ImagePreparation? = nil, input: String? = nil,
    output: String? = nil, range: ClosedRange<Float> = 0...1, keepsSize: Bool = false
  ) throws(ImageError) -> ImageTask {
    let (name, _) = try network.output(named: output)
    return try ImageTask(
      network, preparation: preparation, input: input
    ) { predictions, geometry in
      let image = try Image(predictions.values(of: name), range: range)
      guard keepsSize else { return image }
      return try image.resized(
        width: geometry.source.width, height: geometry.source.height)
    }
  }
}
