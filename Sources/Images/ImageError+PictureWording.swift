import Forge

/// The error messages about views, preparations, written files and readings; tests compare them.
extension ImageError {
  // MARK: Views

  static func viewTooLarge(width: Int, height: Int, most: Int) -> ImageError {
    ImageError(
      .tooLarge, "the picture is too large",
      received: "\(Size(width: width, height: height)) pixels",
      needs: "at most \(counted(most, "pixel")) along each side")
  }

  static func missingPlane(_ index: Int, _ frame: FrameFormat) -> ImageError {
    ImageError(
      .invalidArgument, "a plane of the frame is missing", received: "no plane \(index)",
      needs: "\(counted(frame.planeCount, "plane")) for \(frame)")
  }

  static func strideTooSmall(_ stride: Int, row: Int, plane: Int) -> ImageError {
    ImageError(
      .invalidArgument, "the stride is smaller than a row\(plane > 0 ? " of plane \(plane)" : "")",
      received: bytes(stride), needs: "at least \(bytes(row)), or at most -\(row)")
  }

  static func rowsBeyondBytes(_ count: Int, needs: Int, plane: Int?) -> ImageError {
    let ofPlane = plane.map { $0 > 0 ? " of plane \($0)" : "" } ?? ""
    return ImageError(
      .wrongCount, "the rows\(ofPlane) do not fit into the bytes", received: bytes(count),
      needs: "at least \(bytes(needs))")
  }

  // MARK: Preparations

  static func wrongOutputCount(_ count: Int, needs: Int, what: String) -> ImageError {
    ImageError(
      .wrongCount, "the memory is too small for the prepared picture",
      received: counted(count, what), needs: "at least \(counted(needs, what))")
  }

  static func badExample(_ example: Int) -> ImageError {
    ImageError(
      .invalidArgument, "the index of the example is negative", received: "\(example)",
      needs: "at least 0")
  }

  static func wrongMean(_ received: String, needs: String) -> ImageError {
    ImageError(
      .invalidArgument, "the mean image does not fit the preparation", received: received,
      needs: needs)
  }

  static func badShorterSide(_ side: Int, size: Size?) -> ImageError {
    ImageError(
      .invalidArgument, "the shorter side is too short for the crop", received: "\(side) pixels",
      needs: size.map { "at least \(max($0.width, $0.height)) pixels for \($0)" } ?? "at least 1")
  }

  // MARK: Values

  static func wrongValueCount(
    _ count: Int, width: Int, height: Int, channels: Int
  ) -> ImageError {
    ImageError(
      .wrongCount, "the number of values does not fit the size", received: counted(count, "value"),
      needs: "\(Size(width: width, height: height)) pixels of \(counted(channels, "value"))")
  }

  static func wrongPictureShape(_ shape: Shape) -> ImageError {
    ImageError(
      .wrongCount, "the tensor does not have the shape of a picture", received: "\(shape)",
      needs: "height × width × 1, 3 or 4 channels")
  }

  static func badRange(_ range: ClosedRange<Float>) -> ImageError {
    ImageError(
      .invalidArgument, "the range of the values is empty or not finite",
      received: "\(range.lowerBound)…\(range.upperBound)", needs: "two different finite numbers")
  }

  // MARK: Written files

  static func unknownEnding(_ path: String) -> ImageError {
    ImageError(
      .unknownFormat, "the name does not say what kind of picture to write", path: path,
      needs: "a name that ends in .png, .jpg, .jpeg, .ppm or .pgm, or an encoding")
  }

  static func badFactor(_ name: String, _ value: Int, needs: String) -> ImageError {
    ImageError(
      .invalidArgument, "the \(name) of the encoding is out of range", received: "\(value)",
      needs: needs)
  }

  static func cannotEncode(_ image: Image, _ format: String, needs: String) -> ImageError {
    ImageError(
      .unsupported, "the picture does not fit into a \(format) file", received: "\(image)",
      needs: needs)
  }

  // MARK: Readings

  static func wrongOutput(_ count: Int, needs: Int, what: String) -> ImageError {
    ImageError(
      .wrongCount, "the output does not have the size of \(what)",
      received: counted(count, "value"), needs: counted(needs, "value"))
  }

  static func badCount(_ name: String, _ count: Int) -> ImageError {
    ImageError(
      .invalidArgument, "the number of \(name) is out of range", received: "\(count)",
      needs: "a number that an output can have")
  }

  static func badNumber(_ name: String, _ number: Float) -> ImageError {
    ImageError(
      .invalidArgument, "a \(name) is out of range", received: "\(number)",
      needs: "a finite number above 0")
  }
}
