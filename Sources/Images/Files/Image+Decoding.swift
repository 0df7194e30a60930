extension Image {
  /// Reads a picture from a file: JPEG, PNG, PPM or PGM, detected by its first bytes, not by its
  /// name.
  ///
  /// As in Pillow, palettes and CMYK are converted to RGB, and gray with transparency to RGBA.
  /// Of 16 bits in PNG files the first 8 are used, and values of PGM files with another maximum are
  /// scaled. Gamma and color profiles are ignored. A truncated or altered file is an error, never
  /// a partial picture, as far as the format can detect it: JPEG has no checksums.
  ///
  /// A progressive JPEG file stores its picture in scans, each of which refines it. A file that
  /// ends after some scans decodes to a coarse picture, so missing scans are an error. The standard
  /// allows files to omit scans, which is rare and cannot be distinguished from truncation. With
  /// `acceptsMissingScans`, both are decoded as far as possible.
  ///
  /// - Parameters:
  ///   - path: a regular file, relative to the working directory unless it begins with `/`.
  ///   - appliesOrientation: whether the EXIF orientation of a JPEG file is applied.
  ///   - acceptsMissingScans: whether a JPEG file is decoded even if scans are missing.
  ///   - limits: the limits on the size of the file and the picture.
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

  /// Decodes a picture from the bytes of a file.
  ///
  /// See ``init(contentsOf:appliesOrientation:acceptsMissingScans:limits:)``.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: the name of the file, for error messages.
  ///   - appliesOrientation: whether the EXIF orientation of a JPEG file is applied.
  ///   - acceptsMissingScans: whether a JPEG file is decoded even if scans are missing.
  ///   - limits: the limits on the size of the file and the picture.
  /// - Throws: ``ImageError``.
  public init(
    decoding bytes: [UInt8], name: String? = nil, appliesOrientation: Bool = true,
    acceptsMissingScans: Bool = false, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(
      decoding: bytes.span.bytes, name: name, appliesOrientation: appliesOrientation,
      acceptsMissingScans: acceptsMissingScans, limits: limits)
  }

  /// Decodes a picture from bytes in place.
  ///
  /// See ``init(contentsOf:appliesOrientation:acceptsMissingScans:limits:)``.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: the name of the file, for error messages.
  ///   - appliesOrientation: whether the EXIF orientation of a JPEG file is applied.
  ///   - acceptsMissingScans: whether a JPEG file is decoded even if scans are missing.
  ///   - limits: the limits on the size of the file and the picture.
  /// - Throws: ``ImageError``.
  public init(
    decoding bytes: RawSpan, name: String? = nil, appliesOrientation: Bool = true,
    acceptsMissingScans: Bool = false, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    do throws(ImageError) {
      self = try bytes.withUnsafeBytes { bytes throws(ImageError) in
        guard bytes.count <= limits.maximumFileBytes else {
          throw .fileTooLarge(byteCount: bytes.count, most: limits.maximumFileBytes)
        }
        switch try FileFormat(of: bytes) {
        case .png: return try Image(png: bytes, limits: limits)
        case .portableAnymap: return try PortableAnymapDecoder.decode(bytes, limits: limits)
        case .jpeg:
          return try Image(
            jpeg: bytes, orientation: appliesOrientation ? ExifOrientation(jpeg: bytes) : .upright,
            acceptsMissingScans: acceptsMissingScans, limits: limits)
        }
      }
    } catch {
      throw error.named(name)
    }
  }
}
