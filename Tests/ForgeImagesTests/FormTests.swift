import CForgePixels
import Forge
import ForgeImages
import ForgeTestSupport
import Testing

/// Every form of the kernels gives the same bits, for every way through the pixels.
@Suite struct FormTests {
  static let levels = [FORGE_SCALAR, FORGE_BASELINE, FORGE_AVX2, FORGE_AVX512].filter {
    forge_pixel_forms($0) != nil
  }

  static let filters: [ResamplingFilter] = [
    .nearest, .bilinear, .bilinearAliased, .bicubic, .lanczos, .area,
  ]

  @Test func everyLevelHasItsForms() throws {
    for level in Self.levels {
      let name = String(cString: try #require(forge_pixel_forms(level)))
      let expected: [forge_level: String] = [
        FORGE_SCALAR: "scalar", FORGE_BASELINE: "baseline", FORGE_AVX2: "avx2",
        FORGE_AVX512: "avx512",
      ]
      #expect(name == expected[level])
    }
    #expect(Self.levels.count >= 2)
  }

  /// Sizes below, at and above the vectors, from each kind of source.
  @Test(arguments: [(1, 1), (2, 3), (15, 4), (16, 5), (17, 33), (67, 9), (131, 40)])
  func preparationsAreEqual(_ width: Int, _ height: Int) throws {
    var generator = SplitMix64(seed: UInt64(width * 1000 + height))
    for source in Source.all(width, height, &generator) {
      for (index, filter) in Self.filters.enumerated() {
        var preparation = ImagePreparation(
          width: 21 + index, height: 19,
          crop: index % 2 == 0 ? .letterbox(PixelColor(gray: 114)) : .none, filter: filter,
          normalization: index % 3 == 2 ? .unitRange.ordered(.gray) : .keras(.caffe))
        if index % 3 == 1 { preparation.layout = .channelsFirst }
        let results = try Self.levels.map { level in
          try source.prepared(preparation, threads: 1, level: level)
        }
        for (level, result) in zip(Self.levels, results) {
          #expect(result == results[0], "\(source.name), \(filter), level \(level.rawValue)")
        }
        let shared = try source.prepared(preparation, threads: .exactly(3), level: Self.levels[0])
        #expect(shared == results[0], "\(source.name), \(filter), three threads")
      }
    }
  }

  @Test(arguments: [1, 3, 4, 5, 6, 7, 15, 16, 17, 31, 32, 33, 64, 100])
  func conversionsAreEqual(_ width: Int) throws {
    var generator = SplitMix64(seed: UInt64(width))
    let formats: [PixelFormat] = [.gray, .rgb, .bgr, .rgba, .bgra, .argb]
    for source in Source.all(width, 3, &generator) {
      for format in formats {
        for samples in [SampleType.uint8, .uint16, .float32] {
          let results = try Self.levels.map { level in
            try source.converted(format, samples, level: level)
          }
          for (level, result) in zip(Self.levels, results) {
            #expect(result == results[0], "\(source.name) to \(format), level \(level.rawValue)")
          }
        }
      }
    }
  }
}

/// A picture or frame of any bytes, with odd strides.
private struct Source {
  let name: String
  let form: PixelSource
  let bytes: [UInt8]
  let strides: [Int]
  let offsets: [Int]
  /// The bytes between two rows.
  var padding: Int { form.isFrame ? 3 : 5 }

  static func all(_ width: Int, _ height: Int, _ generator: inout SplitMix64) -> [Source] {
    var sources: [Source] = []
    for format in [PixelFormat.gray, .rgb, .bgr, .rgba, .bgra, .argb] {
      for samples in [SampleType.uint8, .uint16] {
        let stride = width * format.channels * samples.byteCount + 5
        sources.append(
          Source(
            name: "\(format) \(samples)",
            form: PixelSource(width: width, height: height, format: format, samples: samples),
            bytes: (0..<stride * height).map { _ in .random(in: 0...255, using: &generator) },
            strides: [stride], offsets: [0]))
      }
    }
    for frame in [FrameFormat.i420, .nv12, .nv21, .yuyv] {
      var (strides, offsets, count) = ([Int](), [Int](), 0)
      for plane in 0..<frame.planeCount {
        strides.append(frame.rowBytes(plane: plane, width: width) + 3)
        offsets.append(count)
        count += strides[plane] * frame.rows(plane: plane, height: height)
      }
      sources.append(
        Source(
          name: "\(frame)",
          form: PixelSource(
            width: width, height: height, frame: frame,
            colors: FrameColors(matrix: .bt709, range: .full)),
          bytes: (0..<count).map { _ in .random(in: 0...255, using: &generator) },
          strides: strides, offsets: offsets))
    }
    return sources
  }

  /// Each plane ends where its last row does, at the end of a page.
  func withView<Result>(_ body: (borrowing ImageView) throws -> Result) throws -> Result {
    let planes = try offsets.indices.map { plane in
      let end = plane + 1 < offsets.count ? offsets[plane + 1] : bytes.count
      return try #require(GuardedBytes(Array(bytes[offsets[plane]..<end - padding])))
    }
    func row(_ plane: Int) -> UnsafePointer<UInt8>? {
      guard plane < planes.count else { return nil }
      return planes[plane].bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
    func stride(_ plane: Int) -> Int64 { plane < strides.count ? Int64(strides[plane]) : 0 }
    return try withExtendedLifetime(planes) {
      let view = ImageView(
        checked: form,
        PixelPlanes(
          rows: (row(0), row(1), row(2)), strides: (stride(0), stride(1), stride(2))))
      return try body(view)
    }
  }

  func prepared(
    _ preparation: ImagePreparation, threads: CompileOptions.Threads, level: forge_level
  ) throws -> [Float] {
    let channels = preparation.normalization.order.channels
    let size = try #require(preparation.size)
    let count = size.width * size.height * channels
    // Behind the values stands what must not be written.
    var values = [Float](repeating: -7, count: count + 8)
    let preparer = ImagePreparer(preparation, threads: threads, level: level)
    try withView { view in
      for _ in 0..<2 {
        var span = values.mutableSpan
        try preparer.prepare(view, into: &span)
      }
    }
    #expect(values.suffix(8).allSatisfy { $0 == -7 })
    #expect(values.prefix(count).allSatisfy { $0 != -7 })
    return values
  }

  func converted(
    _ format: PixelFormat, _ samples: SampleType, level: forge_level
  ) throws -> [UInt8] {
    var request = PixelRequest.converting(form, to: format, samples, background: .white)
    request.level = level
    let plan = try PixelPlan(request)
    var bytes = [UInt8](repeating: 77, count: plan.outputBytes + 64)
    try withView { view in
      let planes = view.planes
      try bytes.withUnsafeMutableBytes { bytes in
        try plan.run(planes, into: #require(bytes.baseAddress))
      }
    }
    #expect(bytes.suffix(64).allSatisfy { $0 == 77 })
    return bytes
  }
}
