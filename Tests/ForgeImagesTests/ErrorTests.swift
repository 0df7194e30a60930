import Forge
import ForgeImages
import Foundation
import Testing

/// The exact message of every error.
@Suite struct ErrorTests {
  // MARK: Files

  @Test func unreadableFiles() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ForgeImagesTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    expect(
      .fileMissing,
      """
      nowhere/cat.jpg: there is no such file
        remedy    a relative path starts at the folder the program was started in
      """
    ) { () throws(ImageError) in try Image(contentsOf: "nowhere/cat.jpg") }
    expect(.fileMissing, "/nowhere/cat.jpg: there is no such file") { () throws(ImageError) in
      try Image(contentsOf: "/nowhere/cat.jpg")
    }
    expect(
      .notARegularFile,
      """
      \(folder.path): this is not a regular file
        received  a folder
      """
    ) { () throws(ImageError) in try Image(contentsOf: folder.path) }
    expect(
      .notARegularFile,
      """
      /dev/null: this is not a regular file
        received  a device, pipe or socket
      """
    ) { () throws(ImageError) in try Image(contentsOf: "/dev/null") }
    expect(.badName, "a\\0b: the path contains a NUL character") { () throws(ImageError) in
      try Image(contentsOf: "a\0b")
    }
    let name = folder.path + "/" + String(repeating: "x", count: 300)
    expect(
      .unreadable,
      """
      \(name): the file cannot be opened
        received  the name is too long
      """
    ) { () throws(ImageError) in try Image(contentsOf: name) }

    let path = folder.appending(path: "empty.png").path
    try Data().write(to: URL(filePath: path))
    expect(
      .truncated,
      """
      \(path): the file is empty
        needs     a JPEG, PNG, PPM or PGM picture
      """
    ) { () throws(ImageError) in try Image(contentsOf: path) }
    try Data(repeating: 0, count: 2000).write(to: URL(filePath: path))
    expect(
      .tooLarge,
      """
      \(path): the file is too large
        received  2000 bytes
        needs     at most 1999 bytes
        remedy    raise maximumFileBytes of ImageLimits if the file can be trusted
      """
    ) { () throws(ImageError) in
      try Image(contentsOf: path, limits: ImageLimits(maximumFileBytes: 1999))
    }
  }

  @Test func unrecognizedBytes() {
    let known: [(String, String)] = [
      ("GIF89a……", "a GIF file"), ("RIFF....WEBPVP8 ", "a WebP file"), ("BM......", "a BMP file"),
      ("II*\0....", "a TIFF file"), ("MM\0*....", "a TIFF file"), ("P4 1 1 ", "a PBM file"),
      ("P1 1 1 0", "a PBM file"), ("P7\nWIDTH 1", "a PAM file"), ("%PDF-1.7", "a PDF file"),
      ("\0\0\0 ftypheic", "a HEIF or AVIF file, or a video"),
      ("<html>", "3C 68 74 6D as the first bytes"), ("P", "50 as the first bytes"),
      ("\n", "0A as the first bytes"),
    ]
    for (text, name) in known {
      expect(
        .unknownFormat,
        """
        upload: this is not a picture of a kind that Forge reads
          received  \(name)
          needs     a JPEG, PNG, PPM or PGM picture
        """
      ) { () throws(ImageError) in try Image(decoding: Array(text.utf8), name: "upload") }
    }
    expect(
      .unknownFormat,
      """
      this is not a picture of a kind that Forge reads
        received  the start of a PNG file
        needs     a JPEG, PNG, PPM or PGM picture
      """
    ) { () throws(ImageError) in try Image(decoding: [0x89, 0x50, 0x4E]) }
  }

  // MARK: Damage

  @Test func truncatedFiles() throws {
    let names = [("JPEG", "jpeg-444.jpg", "end marker"), ("PNG", "rgb8.png", "end chunk")]
    for (format, file, end) in names {
      let bytes = try ImageFixtures.bytes(file)
      expect(
        .truncated,
        """
        photo: the \(format) file is cut off
          received  \(bytes.count - 1) bytes
          needs     the whole picture and its \(end)
        """
      ) { () throws(ImageError) in try Image(decoding: Array(bytes.dropLast()), name: "photo") }
    }
    expect(
      .truncated,
      """
      the PPM file is cut off
        received  6 bytes
        needs     the whole picture
      """
    ) { () throws(ImageError) in try Image(decoding: Array("P6 3 4".utf8)) }
    expect(
      .truncated,
      """
      the PPM file is too short for its picture
        received  14 bytes
        needs     at least 47 bytes for 3×4 pixels
      """
    ) { () throws(ImageError) in try Image(decoding: Array("P6 3 4 255\nabc".utf8)) }
  }

  @Test func damagedFiles() throws {
    var png = try ImageFixtures.bytes("rgb8.png")
    png[60] ^= 1
    expect(
      .damaged,
      """
      the PNG file is damaged
        received  libpng: IDAT: CRC error
      """
    ) { () throws(ImageError) in try Image(decoding: png) }
    let gray = try ImageFixtures.bytes("jpeg-gray.jpg")
    // A picture that ends in its middle, with an end marker.
    expect(
      .damaged,
      """
      the JPEG file is damaged
        received  libjpeg: Corrupt JPEG data: premature end of data segment
      """
    ) { () throws(ImageError) in
      try Image(decoding: Array(gray.prefix(gray.count / 5 * 4)) + [0xFF, 0xD9])
    }
    let texts: [(String, String)] = [
      ("P6 0 4 255 ", "received  0×4 pixels\n  needs     at least one pixel"),
      ("P5 1 1 0 x", "received  0 as the largest value\n  needs     1 to 65535"),
      ("P5 1 1 65536 x", "received  65536 as the largest value\n  needs     1 to 65535"),
      ("P5 w", "received  the byte 119 among the numbers\n  needs     the width"),
      ("P5 1 x", "received  the byte 120 among the numbers\n  needs     the height"),
      ("P2 1 1 9 -1", "received  the byte 45 among the numbers\n  needs     a value"),
      ("P2 1 1 9 10", "received  the value 10\n  needs     0 to 9, which the file states"),
      ("P5 99999999999", "received  more than 2147483647\n  needs     the width"),
    ]
    for (text, rest) in texts {
      expect(.damaged, "the PPM file is damaged\n  \(rest)") { () throws(ImageError) in
        try Image(decoding: Array(text.utf8))
      }
    }
  }

  @Test func unsupportedFormats() throws {
    var bytes = try ImageFixtures.bytes("jpeg-gray.jpg")
    let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
    // A frame of a differential picture, of which libjpeg reads none.
    bytes[frame + 1] = 0xC5
    expect(
      .unsupported,
      """
      this form of JPEG file is not supported
        received  libjpeg: Unsupported JPEG process: SOF type 0xc5
      """
    ) { () throws(ImageError) in try Image(decoding: bytes) }
  }

  @Test func oversizedPictures() throws {
    let limits = ImageLimits()
    expect(
      .tooLarge,
      """
      the picture is too large
        received  60000×60000 pixels
        needs     at most \(limits.maximumPixels) pixels
        remedy    raise maximumPixels of ImageLimits if its source can be trusted
      """
    ) { () throws(ImageError) in try Image(decoding: Array("P6 60000 60000 255 ".utf8)) }
    let image = try Image(width: 2, height: 1, format: .gray, pixels: [1, 2])
    expect(
      .tooLarge,
      """
      the picture is too large
        received  9223372036854775807×3 pixels
        needs     at most \(limits.maximumPixels) pixels
        remedy    raise maximumPixels of ImageLimits if its source can be trusted
      """
    ) { () throws(ImageError) in try image.resized(width: .max, height: 3) }
    expect(
      .tooLarge,
      """
      the picture is too large
        received  \(limits.maximumSide + 1)×1 pixels
        needs     at most \(limits.maximumSide) pixels along each side
        remedy    raise maximumSide of ImageLimits if its source can be trusted
      """
    ) { () throws(ImageError) in try image.resized(width: limits.maximumSide + 1, height: 1) }
    // Both ends are small: so is what is between.
    let column = try Image(
      width: 1, height: 20000, format: .gray, pixels: Array(repeating: 7, count: 20000))
    let row = try column.resized(width: 50000, height: 1)
    #expect(row.pixels == Array(repeating: 7, count: 50000))
  }

  // MARK: Arguments

  @Test func invalidArguments() throws {
    let image = try Image(width: 4, height: 3, format: .rgb, pixels: Array(0..<36))
    expect(
      .wrongCount,
      """
      the picture has the wrong number of bytes
        received  35 bytes
        needs     4×3 pixels of 3 bytes
      """
    ) { () throws(ImageError) in
      try Image(width: 4, height: 3, format: .rgb, pixels: Array(0..<35))
    }
    #expect(throws: ImageError.self) {
      try Image(width: .max, height: .max, format: .rgba, pixels: [])
    }
    expect(
      .invalidArgument,
      """
      a picture must have at least one pixel
        received  0×-1
        needs     width and height of at least 1
      """
    ) { () throws(ImageError) in try image.resized(width: 0, height: -1) }
    for box in [
      CropRectangle(x: 1, y: 0, width: 3.5, height: 1),
      CropRectangle(x: 0, y: 0, width: 0, height: 1),
      CropRectangle(x: .nan, y: 0, width: 1, height: 1),
      CropRectangle(x: 0, y: -1, width: 1, height: .infinity),
    ] {
      expect(
        .invalidArgument,
        """
        the rectangle is not inside the picture
          received  \(box.width)×\(box.height) at (\(box.x), \(box.y))
          needs     a rectangle that is not empty, inside 4×3 pixels
        """
      ) { () throws(ImageError) in try image.resized(width: 2, height: 2, box: box) }
      #expect(throws: ImageError.self) {
        try image.values(prepared: .init(crop: .rectangle(box), normalization: .raw))
      }
    }
    for (x, y, width, height) in [(0, 0, 5, 1), (4, 0, 1, 1), (-1, 0, 1, 1), (0, 2, 1, .max)] {
      #expect(throws: ImageError.self) {
        try image.cropped(x: x, y: y, width: width, height: height)
      }
    }
  }

  @Test func invalidPreparations() throws {
    let image = try Image(width: 4, height: 3, format: .rgb, pixels: Array(0..<36))
    expect(
      .invalidArgument,
      """
      the scale of the normalization has the wrong number of values
        received  2 values
        needs     1 value, or one for each of 3 channels
      """
    ) { () throws(ImageError) in
      try image.values(
        prepared: .init(normalization: PixelNormalization(order: .rgb, scale: [1, 2])))
    }
    expect(
      .invalidArgument,
      """
      the bias of the normalization has the wrong number of values
        received  3 values
        needs     1 value
      """
    ) { () throws(ImageError) in
      try image.values(prepared: .init(normalization: .keras(.caffe).ordered(.gray)))
    }
    for fraction in [0, 1.5, .nan] {
      expect(
        .invalidArgument,
        """
        the fraction of the center crop is out of range
          received  \(fraction)
          needs     more than 0 and at most 1
        """
      ) { () throws(ImageError) in
        try image.values(
          prepared: .init(crop: .center(fraction: fraction), normalization: .raw))
      }
    }
    for size in [Size(width: 0, height: 5), Size(width: .min, height: .max)] {
      #expect(throws: ImageError.self) {
        try image.values(prepared: .init(size: size, crop: .center, normalization: .raw))
      }
    }
    // A center that is less than a pixel is one.
    let dot = try image.values(
      prepared: .init(crop: .center(fraction: 1e-9), normalization: .raw))
    #expect(dot.values.count == 3)
  }

  /// Expects an error of a kind with exactly these words.
  private func expect<Result>(
    _ kind: ImageError.Kind, _ text: String, at location: SourceLocation = #_sourceLocation,
    _ body: () throws(ImageError) -> Result
  ) {
    do throws(ImageError) {
      _ = try body()
      Issue.record("no error", sourceLocation: location)
    } catch {
      #expect(error.kind == kind, sourceLocation: location)
      #expect(error.description == text, sourceLocation: location)
    }
  }
}
