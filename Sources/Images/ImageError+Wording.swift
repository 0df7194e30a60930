import Forge

/// All error messages of ForgeImages; tests compare them.
extension ImageError {
  // MARK: Files

  static func fileTooLarge(byteCount: Int, most: Int, path: String? = nil) -> ImageError {
    ImageError(
      .tooLarge, "the file is too large", path: path, received: bytes(byteCount),
      needs: "at most \(bytes(most))",
      remedy: "raise maximumFileBytes of ImageLimits if the file can be trusted")
  }

  // MARK: Contents

  static let formats = "a JPEG, PNG, PPM or PGM picture"

  static func empty() -> ImageError {
    ImageError(.truncated, "the file is empty", needs: formats)
  }

  static func unknownFormat(_ received: String) -> ImageError {
    ImageError(
      .unknownFormat, "this is not a picture of a kind that Forge reads", received: received,
      needs: formats)
  }

  static func tooManyPixels(width: Int, height: Int, most: Int) -> ImageError {
    ImageError(
      .tooLarge, "the picture is too large",
      received: "\(Size(width: width, height: height)) pixels",
      needs: "at most \(counted(most, "pixel"))",
      remedy: "raise maximumPixels of ImageLimits if its source can be trusted")
  }

  static func tooLongSide(width: Int, height: Int, most: Int) -> ImageError {
    ImageError(
      .tooLarge, "the picture is too large",
      received: "\(Size(width: width, height: height)) pixels",
      needs: "at most \(counted(most, "pixel")) along each side",
      remedy: "raise maximumSide of ImageLimits if its source can be trusted")
  }

  static func cutOff(_ format: String, byteCount: Int, end: String) -> ImageError {
    ImageError(
      .truncated, "the \(format) file is cut off", received: bytes(byteCount),
      needs: "the whole picture\(end.isEmpty ? "" : " and its \(end)")")
  }

  static func tooShort(
    _ format: String, byteCount: Int, least: String, width: Int, height: Int
  ) -> ImageError {
    ImageError(
      .truncated, "the \(format) file is too short for its picture", received: bytes(byteCount),
      needs: "at least \(least) for \(Size(width: width, height: height)) pixels")
  }

  static func damaged(_ format: String, _ received: String, needs: String? = nil) -> ImageError {
    ImageError(
      .damaged, "the \(format) file is damaged", received: received, needs: needs)
  }

  static func unsupported(_ format: String, _ received: String) -> ImageError {
    ImageError(
      .unsupported, "this form of \(format) file is not supported", received: received)
  }

  static func missingScans(_ received: String) -> ImageError {
    ImageError(
      .truncated, "the JPEG file lacks a part of its picture", received: received,
      needs: "every bit of every coefficient",
      remedy: "decode with acceptsMissingScans to accept what is there")
  }

  static func tooManyScans(_ received: String) -> ImageError {
    ImageError(
      .tooLarge, "the JPEG file has too many scans", received: received,
      remedy: "save the picture again with fewer scans")
  }

  static func tooMuchWork(_ format: String, byteCount: UInt64, most: Int) -> ImageError {
    ImageError(
      .tooLarge, "decoding the \(format) file takes too much memory",
      received: "\(byteCount) bytes besides the file and the picture",
      needs: "at most \(bytes(most))",
      remedy: "raise maximumWorkingBytes of ImageLimits if its source can be trusted")
  }

  static func outOfMemory(byteCount: Int) -> ImageError {
    ImageError(.outOfMemory, "there is not enough memory", needs: bytes(byteCount))
  }

  // MARK: Arguments

  static func badSize(width: Int, height: Int) -> ImageError {
    ImageError(
      .invalidArgument, "a picture must have at least one pixel",
      received: Size(width: width, height: height).description,
      needs: "width and height of at least 1")
  }

  static func wrongCount(
    _ count: Int, width: Int, height: Int, pixelBytes: Int
  ) -> ImageError {
    ImageError(
      .wrongCount, "the picture has the wrong number of bytes", received: bytes(count),
      needs: "\(Size(width: width, height: height)) pixels of \(counted(pixelBytes, "byte"))")
  }

  static func badBox(_ box: CropRectangle, width: Int, height: Int) -> ImageError {
    ImageError(
      .invalidArgument, "the rectangle is not inside the picture",
      received: "\(box.width)×\(box.height) at (\(box.x), \(box.y))",
      needs: "a rectangle that is not empty, inside "
        + "\(Size(width: width, height: height)) pixels")
  }

  static func badFraction(_ fraction: Double) -> ImageError {
    ImageError(
      .invalidArgument, "the fraction of the center crop is out of range", received: "\(fraction)",
      needs: "more than 0 and at most 1")
  }

  static func wrongFactorCount(_ count: Int, _ name: String, channels: Int) -> ImageError {
    ImageError(
      .invalidArgument, "the \(name) of the normalization has the wrong number of values",
      received: counted(count, "value"),
      needs: channels == 1 ? "1 value" : "1 value, or one for each of \(channels) channels")
  }

  static func notFinite() -> ImageError {
    ImageError(
      .invalidArgument, "a sample of the picture is not a number, or infinite",
      needs: "finite samples")
  }

  // MARK: Helpers

  /// Returns the error with the path of its file.
  func named(_ path: String?) -> ImageError {
    var error = self
    error.path = path ?? error.path
    return error
  }
}
