import Forge
import ForgeImages
import Testing

/// Views of foreign memory: strides, planes, and what does not fit.
@Suite struct ViewTests {
  @Test func stridesAndOrdersAreFollowed() throws {
    // Two rows of two pixels, and two bytes of padding.
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 11, 12, 13, 14, 15, 16, 17, 18, 0, 0]
    let bgra = try ImageView.withView(
      of: bytes.span.bytes, width: 2, height: 2, format: .bgra, rowStride: 10, ignoresAlpha: true
    ) { try $0.image(format: .rgb) }
    #expect(bgra.pixels == [3, 2, 1, 7, 6, 5, 13, 12, 11, 17, 16, 15])
    let turned = try ImageView.withView(
      of: bytes.span.bytes, width: 2, height: 2, format: .argb, rowStride: -10
    ) { try $0.image(format: .rgba) }
    #expect(
      turned.pixels == [12, 13, 14, 11, 16, 17, 18, 15, 2, 3, 4, 1, 6, 7, 8, 5])
  }

  @Test func oddFramesHaveRoundedPlanes() throws {
    // 3×3: y of 9, u and v of 2×2; white, with the last column's and row's color red.
    let nine = [UInt8](repeating: 128, count: 9)
    let u: [UInt8] = [128, 128, 128, 128]
    let v: [UInt8] = [128, 255, 255, 255]
    let picture = try ImageView.withView(
      of: (nine + u + v).span.bytes, width: 3, height: 3, frame: .i420,
      colors: FrameColors(range: .full)
    ) { try $0.image(format: .rgb) }
    for y in 0..<3 {
      for x in 0..<3 {
        let pixel = Array(picture.pixels[3 * (3 * y + x)..<3 * (3 * y + x) + 3])
        #expect(pixel == (x < 2 && y < 2 ? [128, 128, 128] : [255, 37, 128]), "\(x), \(y)")
      }
    }
    #expect(throws: ImageError.self) {
      try ImageView.withView(
        of: (nine + u).span.bytes, width: 3, height: 3, frame: .i420
      ) { try $0.image(format: .rgb) }
    }
  }

  @Test func conversionsKeepWhatLiesBetweenRows() throws {
    let image = try Image(width: 2, height: 2, format: .gray, pixels: [1, 2, 3, 4])
    var screen = [UInt8](repeating: 9, count: 22)
    try image.withView { view in
      var span = screen.mutableSpan
      var memory = span.mutableBytes
      try view.convert(into: &memory, format: .rgba, rowStride: 12)
    }
    #expect(
      screen == [1, 1, 1, 255, 2, 2, 2, 255, 9, 9, 9, 9, 3, 3, 3, 255, 4, 4, 4, 255, 9, 9])
  }

  @Test func samplesAreConverted() throws {
    let image = try Image(width: 3, height: 1, format: .gray, pixels: [0, 128, 255])
    let wide = try image.converted(to: .gray, samples: .uint16)
    #expect(wide.pixels == [0, 0, 128, 128, 255, 255])
    #expect(try wide.converted(to: .gray, samples: .uint8) == image)
    let real = try image.converted(to: .rgba, samples: .float32)
    #expect(try real.converted(to: .gray, samples: .uint8) == image)
    let values = try image.values().values
    #expect(values == [0, Float(128.0 / 255), 1])
  }

  @Test func hostileViewsAreErrors() throws {
    let bytes = [UInt8](repeating: 0, count: 100)
    func view(
      _ width: Int, _ height: Int, _ stride: Int?, _ format: PixelFormat = .rgb,
      _ samples: SampleType = .uint8
    ) throws {
      try ImageView.withView(
        of: bytes.span.bytes, width: width, height: height, format: format, samples: samples,
        rowStride: stride
      ) { _ = try $0.image(format: .gray) }
    }
    try view(5, 6, nil)
    try view(5, 6, 17)
    try view(5, 6, -17)
    // A single row may have any stride that holds it.
    try view(33, 1, .max)
    for (width, height, stride) in [
      (0, 1, nil), (1, 0, nil), (-1, 5, nil), (.max, .max, nil), (5, 7, nil), (5, 6, 18),
      (5, 6, -18), (5, 6, 14), (5, 6, 0), (5, 3, .max), (5, 3, .min), (5, 1 << 27, 1 << 40),
      (1 << 40, 1, nil), (.min, 1, 1), (34, 1, .max), (5, 2, .min + 1),
    ] as [(Int, Int, Int?)] {
      #expect(throws: ImageError.self, "\(width)×\(height), \(stride ?? 0)") {
        try view(width, height, stride)
      }
    }
    #expect(throws: ImageError.self) { try view(5, 6, nil, .rgb, .uint16) }
    for frame in [FrameFormat.i420, .nv12, .nv21, .yuyv] {
      for (width, height) in [
        (0, 2), (2, 0), (.max, 2), (2, .max), (.max, .max), (11, 11), (-2, 2),
      ] {
        #expect(throws: ImageError.self, "\(frame), \(width)×\(height)") {
          try ImageView.withView(
            of: bytes.span.bytes, width: width, height: height, frame: frame
          ) { _ = try $0.image(format: .rgb) }
        }
      }
    }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(throws: ImageError.self) {
      _ = try ImageView(unsafeBytes: empty, width: 1, height: 1, format: .gray)
    }
    #expect(throws: ImageError.self) {
      _ = try ImageView(
        unsafePlanes: ImagePlane(unsafeBytes: empty, rowStride: 1), frame: .nv12, width: 1,
        height: 1)
    }
  }

  @Test func samplesMustBeFinite() throws {
    for bad in [Float.nan, .infinity, -.infinity] {
      let image = try Image(
        width: 2, height: 1, format: .gray, samples: .float32, pixels: bytes(of: [0.5, bad]))
      let preparation = ImagePreparation(width: 3, height: 3, normalization: .raw)
      #expect(throws: ImageError.self) { try image.values(prepared: preparation) }
      #expect(throws: ImageError.self) { try image.converted(to: .rgb, samples: .uint8) }
      #expect(throws: ImageError.self) { try image.resized(width: 5, height: 5) }
      #expect(throws: ImageError.self) { try image.encoded(as: .png) }
    }
    // The error does not stay.
    let preparer = ImagePreparer(ImagePreparation(normalization: .raw.ordered(.gray)))
    var values = [Float](repeating: 0, count: 1)
    func prepare(_ number: Float) throws {
      let image = try Image(
        width: 1, height: 1, format: .gray, samples: .float32, pixels: bytes(of: [number]))
      try image.withView { view in
        var span = values.mutableSpan
        try preparer.prepare(view, into: &span)
      }
    }
    #expect(throws: ImageError.self) { try prepare(.nan) }
    try prepare(0.5)
    #expect(values == [127.5])
  }

  @Test func errorsSayWhatDoesNotFit() {
    let bytes = [UInt8](repeating: 0, count: 10)
    func message(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return (error as? ImageError)?.description }
      return nil
    }
    #expect(
      message {
        try ImageView.withView(
          of: bytes.span.bytes, width: 2, height: 2, format: .rgb, rowStride: 5
        ) { _ in }
      } == """
        the stride is smaller than a row
          received  5 bytes
          needs     at least 6 bytes, or at most -6
        """)
    #expect(
      message {
        try ImageView.withView(of: bytes.span.bytes, width: 2, height: 2, format: .rgb) { _ in }
      } == """
        the rows do not fit into the bytes
          received  10 bytes
          needs     at least 12 bytes
        """)
    #expect(
      message {
        let plane = bytes.withUnsafeBytes { ImagePlane(unsafeBytes: $0, rowStride: 2) }
        _ = try ImageView(unsafePlanes: plane, frame: .nv12, width: 2, height: 2)
      } == """
        a plane of the frame is missing
          received  no plane 1
          needs     2 planes for nv12
        """)
  }
}
