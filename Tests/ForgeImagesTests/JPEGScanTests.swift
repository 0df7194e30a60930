import ForgeImages
import Testing

/// Files with several scans, all of which are required.
@Suite struct JPEGScanTests {
  /// Progressive files as libjpeg makes them, and scripts that others use, of the same picture.
  static let scripts = ["bands", "bits", "sequential"]

  @Test(arguments: scripts)
  func otherEncodersScanScriptsAreRead(_ script: String) throws {
    let image = try Image(decoding: ImageFixtures.bytes("jpeg-scans-\(script).jpg"))
    #expect(try image == Image(decoding: ImageFixtures.bytes("jpeg-420.jpg")))
  }

  static let severalScans =
    scripts.map { "jpeg-scans-\($0).jpg" }
    + ["444", "422", "420", "gray", "cmyk"].map { "jpeg-\($0)-progressive.jpg" }

  /// A file that ends after any scan but the last, with an end marker, as an interrupted download
  /// may.
  @Test(arguments: severalScans)
  func missingScansAreAnError(_ file: String) throws {
    let bytes = try ImageFixtures.bytes(file)
    let whole = try Image(decoding: bytes)
    let scans = bytes.indices.filter { bytes[$0...].starts(with: [0xFF, 0xDA]) }
    #expect(scans.count >= 3)
    for end in scans.dropFirst() {
      let part = Array(bytes[..<end]) + [0xFF, 0xD9]
      let error = #expect(throws: ImageError.self) { try Image(decoding: part) }
      #expect(error?.kind == .truncated, "\(file) to \(end)")
      let coarse = try Image(decoding: part, acceptsMissingScans: true)
      #expect((coarse.width, coarse.height) == (whole.width, whole.height))
      #expect(coarse.format == whole.format)
    }
    #expect(try Image(decoding: bytes, acceptsMissingScans: true) == whole)
  }

  /// Scans that the standard allows to omit cannot be distinguished from lost ones.
  @Test func incompleteScanScriptsAreRead() throws {
    var file = FlatJPEG(width: 64, height: 64, coding: .progressive)
    let all = FlatJPEG.usualScans(components: 1)
    file.scans = all
    let whole = try Image(decoding: file.bytes)
    for (count, missing) in [
      (5, "no scan of the last 1 bits of coefficient 1 of component 1"),
      (4, "no scan of the last 1 bits of coefficient 0 of component 1"),
      (2, "no scan of the last 1 bits of coefficient 0 of component 1"),
    ] {
      file.scans = Array(all.prefix(count))
      expect(missing, file)
      #expect(try Image(decoding: file.bytes, acceptsMissingScans: true) == whole)
    }
    file.scans = [all[0], all[4]]
    expect("no scan of coefficient 1 of component 1", file)
  }

  @Test func componentsWithoutScanAreAnError() throws {
    var file = FlatJPEG(width: 16, height: 8, components: 3)
    file.scans = [FlatJPEG.Scan(components: [0, 2], band: 0...63)]
    expect("no scan of component 2", file)
    file.scans.append(FlatJPEG.Scan(components: [1], band: 0...63))
    #expect(try Image(decoding: file.bytes).pixels.count == 16 * 8 * 3)
  }

  private func expect(
    _ missing: String, _ file: FlatJPEG, at location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: ImageError.self, sourceLocation: location) {
      try Image(decoding: file.bytes)
    }
    #expect(
      error?.description == """
        the JPEG file lacks a part of its picture
          received  \(missing)
          needs     every bit of every coefficient
          remedy    decode with acceptsMissingScans to accept what is there
        """, sourceLocation: location)
  }

  /// Many scans are accepted if the file is large enough for them.
  @Test func scanCountIsBoundedByPictureAndFileSize() throws {
    let script = HostilePicture.scanForEachCoefficient
    let small = HostilePicture.progressive(script, components: 1, side: 16)
    #expect(try Image(decoding: small.bytes).width == 16)

    let large = HostilePicture.progressive(script, components: 1, side: 1024)
    let error = #expect(throws: ImageError.self) { try Image(decoding: large.bytes) }
    #expect(
      error?.description == """
        the JPEG file has too many scans
          received  scan 13, beyond 12 passes and a block for each byte
          remedy    save the picture again with fewer scans
        """)

    var many = FlatJPEG(width: 8, height: 8, components: 3)
    many.scans = (0..<1000).map { FlatJPEG.Scan(components: [$0 % 3], band: 0...63) }
    #expect(try Image(decoding: many.bytes).width == 8)
    many.scans += [FlatJPEG.Scan(components: [0], band: 0...63)]
    #expect(throws: ImageError.self) { try Image(decoding: many.bytes) }
  }

  @Test func workingMemoryIsLimited() throws {
    let file = HostilePicture.progressive(
      FlatJPEG.usualScans(components: 3), components: 3, side: 1024)
    // Two bytes for each of 3·2²⁰ samples, and some rows.
    let error = #expect(throws: ImageError.self) {
      try Image(decoding: file.bytes, limits: ImageLimits(maximumWorkingBytes: 6 << 20))
    }
    #expect(
      error?.description == """
        decoding the JPEG file takes too much memory
          received  6438912 bytes besides the file and the picture
          needs     at most 6291456 bytes
          remedy    raise maximumWorkingBytes of ImageLimits if its source can be trusted
        """)
    let limits = ImageLimits(maximumWorkingBytes: 6_438_912)
    #expect(try Image(decoding: file.bytes, limits: limits).width == 1024)
    // A sequential file of the same size takes some rows.
    let flat = FlatJPEG(width: 1024, height: 1024, components: 3)
    let rows = ImageLimits(maximumWorkingBytes: 1 << 18)
    #expect(try Image(decoding: flat.bytes, limits: rows).width == 1024)
  }

  /// Pictures larger than the blocks of rows that are rotated together.
  @Test(arguments: 1...8, ["jpeg-444.jpg", "jpeg-cmyk.jpg", "jpeg-gray-progressive.jpg"])
  func orientationIsAppliedWhileDecoding(_ orientation: Int, _ file: String) throws {
    let bytes = try ImageFixtures.bytes(file)
    let stored = try Image(decoding: bytes)
    #expect(stored.width > 16 && stored.height > 16)
    var exif: [UInt8] = [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8)
    exif += [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation)]
    exif += [0, 0, 0, 0, 0, 0]
    let turned = try Image(decoding: Array(bytes[..<2]) + exif + Array(bytes[2...]))
    let swaps = orientation > 4
    #expect(turned.width == (swaps ? stored.height : stored.width))
    #expect(turned.height == (swaps ? stored.width : stored.height))
    for y in 0..<stored.height {
      for x in 0..<stored.width {
        let (left, top) = (x, y)
        let (right, bottom) = (stored.width - 1 - x, stored.height - 1 - y)
        let place =
          [
            (left, top), (right, top), (right, bottom), (left, bottom), (top, left),
            (bottom, left), (bottom, right), (top, right),
          ][orientation - 1]
        guard pixel(turned, place).elementsEqual(pixel(stored, (x, y))) else {
          Issue.record("\(file), orientation \(orientation): (\(x), \(y))")
          return
        }
      }
    }
  }

  private func pixel(_ image: Image, _ place: (x: Int, y: Int)) -> ArraySlice<UInt8> {
    let channels = image.format.channels
    let start = (place.y * image.width + place.x) * channels
    return image.pixels[start..<start + channels]
  }
}
