extension Image {
  /// Reads a picture from a file: JPEG, PNG, PPM or PGM, told by its first bytes, not by its name.
  ///
  /// Files of 16 bits per channel are brought to 8 and palettes to RGB; gray pictures with
  /// transparency become RGBA, CMYK becomes RGB, all as Pillow does; gamma and colour profiles are
  /// passed over. A file that is cut off or altered is an error, never part of a picture, as far as
  /// the format lets that be seen: JPEG has no checksums.
  ///
  /// A progressive JPEG file brings its picture in scans, each of which makes it finer. A file that
  /// ends after some of them can be shown and looks coarse, so that missing scans are an error. Few
  /// files leave scans out on purpose, which the standard allows and nothing in the file tells
  /// apart; `acceptsMissingScans` decodes them, and files that lost some, as far as they go.
  ///
  /// - Parameters:
  ///   - path: a regular file; a relative path starts at the current folder.
  ///   - appliesOrientation: whether a JPEG file's EXIF orientation turns the picture upright.
  ///   - acceptsMissingScans: whether a JPEG file whose scans leave out a part of the picture's
  ///     coefficients is decoded nevertheless.
  ///   - limits: how large the file and the picture may be.
  /// - Throws: ``ImageError`` naming the file.
  public init(
    contentsOf path: String, appliesOrientation: Bool = true, acceptsMissingScans: Bool = false,
    limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    let bytes = try FileBytes.read(path, limits: limits)
    try self.init(
      decoding: bytes, name: path, appliesOrientation: appliesOrientation,
      acceptsMissingScans: acceptsMissingScans, limits: limits)
  }

  /// Decodes a picture from the bytes of a file, see
  /// ``init(contentsOf:appliesOrientation:acceptsMissingScans:limits:)``.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: what errors call it.
  ///   - appliesOrientation: whether a JPEG file's EXIF orientation turns the picture upright.
  ///   - acceptsMissingScans: whether a JPEG file whose scans leave out a part of the picture's
  ///     coefficients is decoded nevertheless.
  ///   - limits: how large the file and the picture may be.
  /// - Throws: ``ImageError``.
  public init(
    decoding bytes: [UInt8], name: String? = nil, appliesOrientation: Bool = true,
    acceptsMissingScans: Bool = false, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(
      decoding: bytes.span.bytes, name: name, appliesOrientation: appliesOrientation,
      acceptsMissingScans: acceptsMissingScans, limits: limits)
  }

  /// Decodes a picture from bytes in place, see ``init(contentsOf:appliesOrientation:acceptsMissingScans:limits:)``.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: what errors call it.
  ///   - appliesOrientation: whether a JPEG file's EXIF orientation turns the picture upright.
  ///   - acceptsMissingScans: whether a JPEG file whose scans leave out a part of the picture's
  ///     coefficients is decoded nevertheless.
  ///   - limits: how large the file and the picture may be.
  /// - Throws: ``ImageError``.
  public init(
    decoding bytes: RawSpan, name: String? = nil, appliesOrientation: Bool = true,
    acceptsMissingScans: Bool = false, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    do throws(ImageError) {
      self = try bytes.withUnsafeBytes { bytes throws(ImageError) in
        try Self.decode(
          bytes, appliesOrientation: appliesOrientation, acceptsMissingScans: acceptsMissingScans,
          limits: limits)
      }
    } catch {
      throw error.named(name)
    }
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, appliesOrientation: Bool, acceptsMissingScans: Bool,
    limits: ImageLimits
  ) throws(ImageError) -> Image {
    guard bytes.count <= limits.maximumFileBytes else {
      throw .fileTooLarge(byteCount: bytes.count, most: limits.maximumFileBytes)
    }
    switch try FileFormat(of: bytes) {
    case .png: return try PNGDecoder.decode(bytes, limits: limits)
    case .portableAnymap: return try PortableAnymapDecoder.decode(bytes, limits: limits)
    case .jpeg:
      return try JPEGDecoder.decode(
        bytes, orientation: appliesOrientation ? ExifOrientation.read(jpeg: bytes) : .upright,
        acceptsMissingScans: acceptsMissingScans, limits: limits)
    }
  }
}
