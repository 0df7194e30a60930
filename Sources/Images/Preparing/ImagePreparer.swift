import CForgePixels
import Forge

/// Prepares one picture after the other, straight into the memory of a prediction.
///
/// Crop, resize, colors, scale and bias, layout and type are one pass over the rows of the picture,
/// with vectors and on several threads. The first picture of a size allocates tables and some rows
/// of memory; further ones of the same form allocate nothing.
///
/// ```swift
/// let preparer = ImagePreparer(ImagePreparation.letterbox(width: 640, height: 640))
/// try ImageView.withView(of: bytes.span.bytes, width: 1920, height: 1080, frame: .nv12) { frame in
///   try context.withInput(0) { values in
///     let geometry = try preparer.prepare(frame, into: &values)
///     print(geometry.region)
///   }
/// }
/// ```
///
/// One thread uses a preparer at a time.
public final class ImagePreparer {
  /// The preparation.
  public let preparation: ImagePreparation
  private let threads: CompileOptions.Threads
  private let level: forge_level
  private var plan: PixelPlan?
  private var element = PixelValues.Element.float32
  private var geometry: ImageGeometry?

  /// Creates a preparer.
  ///
  /// - Parameters:
  ///   - preparation: what is done with each picture.
  ///   - threads: the threads of one picture. The values do not depend on it.
  public convenience init(
    _ preparation: ImagePreparation, threads: CompileOptions.Threads = .automatic
  ) {
    self.init(preparation, threads: threads, level: forge_best_level())
  }

  /// Creates a preparer that uses the instructions of a level.
  package init(
    _ preparation: ImagePreparation, threads: CompileOptions.Threads, level: forge_level
  ) {
    self.preparation = preparation
    self.threads = threads
    self.level = level
  }

  /// Prepares a picture as floats.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - values: the memory that is written, such as the input of a `Context`.
  ///   - example: the example of a batch that is written: values from `example` times the number of
  ///     values of a picture.
  /// - Returns: where the pixels come from, and the way back.
  /// - Throws: ``ImageError`` when a size, a rectangle or a number of factors is invalid, the
  ///   result exceeds the limits or the memory, a sample is not finite, or there is not enough
  ///   memory.
  @discardableResult
  public func prepare(
    _ picture: borrowing ImageView, into values: inout MutableSpan<Float>, example: Int = 0
  ) throws(ImageError) -> ImageGeometry {
    try values.withUnsafeMutableBufferPointer { values throws(ImageError) in
      try prepare(
        picture, .float32, into: UnsafeMutableRawBufferPointer(values), example: example)
    }
  }

  /// Prepares a picture as bytes, for quantized networks: `scale · x + bias`, rounded to the
  /// nearest number, ties to even, from 0 to 255.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - values: the memory that is written.
  ///   - example: the example of a batch that is written.
  /// - Returns: where the pixels come from, and the way back.
  /// - Throws: ``ImageError``; see ``prepare(_:into:example:)``.
  @discardableResult
  public func prepare(
    _ picture: borrowing ImageView, into values: inout MutableSpan<UInt8>, example: Int = 0
  ) throws(ImageError) -> ImageGeometry {
    try values.withUnsafeMutableBufferPointer { values throws(ImageError) in
      try prepare(
        picture, .uint8, into: UnsafeMutableRawBufferPointer(values), example: example)
    }
  }

  /// Prepares a picture as signed bytes, for quantized networks: `scale · x + bias`, rounded to the
  /// nearest number, ties to even, from −128 to 127.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - values: the memory that is written.
  ///   - example: the example of a batch that is written.
  /// - Returns: where the pixels come from, and the way back.
  /// - Throws: ``ImageError``; see ``prepare(_:into:example:)``.
  @discardableResult
  public func prepare(
    _ picture: borrowing ImageView, into values: inout MutableSpan<Int8>, example: Int = 0
  ) throws(ImageError) -> ImageGeometry {
    try values.withUnsafeMutableBufferPointer { values throws(ImageError) in
      try prepare(
        picture, .int8, into: UnsafeMutableRawBufferPointer(values), example: example)
    }
  }

  private func prepare(
    _ picture: borrowing ImageView, _ element: PixelValues.Element,
    into output: UnsafeMutableRawBufferPointer, example: Int
  ) throws(ImageError) -> ImageGeometry {
    guard example >= 0 else { throw .badExample(example) }
    let (plan, geometry) = try plan(picture.source, element)
    let size = element == .float32 ? MemoryLayout<Float>.stride : 1
    let start = plan.outputBytes.multipliedSaturated(by: example)
    let needed = start.addingSaturated(plan.outputBytes)
    guard needed <= output.count, let base = output.baseAddress else {
      throw .wrongOutputCount(output.count / size, needs: needed / size, what: "value")
    }
    try plan.run(picture.planes, into: base + start)
    return geometry
  }

  /// The plan for pictures of this form; that of the last picture if it had the same.
  private func plan(
    _ source: PixelSource, _ element: PixelValues.Element
  ) throws(ImageError) -> (PixelPlan, ImageGeometry) {
    if let plan, let geometry, plan.source == source, self.element == element {
      return (plan, geometry)
    }
    var (request, geometry) = try preparation.request(source, element: element)
    request.threads = threads.count(
      pixels: max(source.width * source.height, request.width * request.height))
    request.level = level
    let made = try PixelPlan(request)
    (self.plan, self.geometry, self.element) = (made, geometry, element)
    return (made, geometry)
  }
}
