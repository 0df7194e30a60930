import Forge
import ForgeImages
import Foundation

/// Times conversions and preparations of pictures; Benchmarks/pictures runs it beside other libraries.
///
/// `Benchmarks/run PictureBenchmark FILE.jpg [ROUNDS [THREADS]]`
///
/// It prints a line for each case: its name, and the least and the median of its milliseconds.
@main
struct PictureBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      FileHandle.standardError.write(Data("usage: FILE.jpg [ROUNDS [THREADS]]\n".utf8))
      exit(64)
    }
    let numbers = arguments.dropFirst().compactMap { Int($0) }.filter { $0 > 0 }
    let rounds = numbers.first ?? 50
    let threads = CompileOptions.Threads.exactly(numbers.dropFirst().first ?? 1)
    try frames(rounds, threads)
    try letterbox(rounds, threads)
    try photo(path, max(rounds / 5, 3), threads)
  }

  private static func time(_ name: String, _ rounds: Int, _ body: () throws -> Void) rethrows {
    let clock = ContinuousClock()
    try body()
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = clock.now
      try body()
      times.append((clock.now - start) / .milliseconds(1))
    }
    times.sort()
    print("\(name)\t\(times[0])\t\(times[times.count / 2])")
  }

  /// A frame of 1920 by 1080 pixels that is not the same anywhere.
  private static func bytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: index / 61) ^ UInt8(truncatingIfNeeded: state >> 29)
    }
  }

  private static func frames(_ rounds: Int, _ threads: CompileOptions.Threads) throws {
    let (width, height) = (1920, 1080)
    let frame = bytes(width * height * 3 / 2)
    var screen = [UInt8](repeating: 0, count: 4 * width * height)
    let converter = ImageConverter(format: .rgba, threads: threads)
    try ImageView.withView(of: frame.span.bytes, width: width, height: height, frame: .nv12) {
      view in
      try time("NV12 to RGBA", rounds) {
        var span = screen.mutableSpan
        var memory = span.mutableBytes
        try converter.convert(view, into: &memory)
      }
      for (name, filter) in [("pairs", ResamplingFilter.bilinearAliased), ("all", .bilinear)] {
        let preparation = ImagePreparation(
          width: 224, height: 224, filter: filter, normalization: .torch)
        let preparer = ImagePreparer(preparation, threads: threads)
        var values = [Float](repeating: 0, count: 224 * 224 * 3)
        try time("NV12 to 224 (\(name)), one pass", rounds) {
          var span = values.mutableSpan
          try preparer.prepare(view, into: &span)
        }
        let last = ImagePreparation(normalization: .torch)
        try time("NV12 to 224 (\(name)), three steps", rounds) {
          let small = try view.image(format: .rgb)
            .resized(width: 224, height: 224, filter: filter)
          _ = try small.values(prepared: last)
        }
      }
    }
  }

  private static func letterbox(_ rounds: Int, _ threads: CompileOptions.Threads) throws {
    let image = try Image(
      width: 1920, height: 1080, format: .rgba, pixels: bytes(4 * 1920 * 1080))
    var values = [Float](repeating: 0, count: 640 * 640 * 3)
    var bytes = [UInt8](repeating: 0, count: 640 * 640 * 3)
    let preparer = ImagePreparer(.letterbox(width: 640, height: 640), threads: threads)
    var raw = ImagePreparation.letterbox(width: 640, height: 640)
    raw.normalization = .raw
    let quantized = ImagePreparer(raw, threads: threads)
    let bytesPixels = image.pixels
    try ImageView.withView(
      of: bytesPixels.span.bytes, width: 1920, height: 1080, format: .rgba, ignoresAlpha: true
    ) { view in
      try time("RGBA to letterbox 640, floats", rounds) {
        var span = values.mutableSpan
        try preparer.prepare(view, into: &span)
      }
      try time("RGBA to letterbox 640, bytes", rounds) {
        var span = bytes.mutableSpan
        try quantized.prepare(view, into: &span)
      }
    }
  }

  private static func photo(
    _ path: String, _ rounds: Int, _ threads: CompileOptions.Threads
  ) throws {
    let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let preparer = ImagePreparer(
      ImagePreparation(width: 224, height: 224, normalization: .torch), threads: threads)
    var values = [Float](repeating: 0, count: 224 * 224 * 3)
    try time("JPEG to 224", rounds) {
      try Image(decoding: file).withView { view in
        var span = values.mutableSpan
        try preparer.prepare(view, into: &span)
      }
    }
    let image = try Image(decoding: file)
    try image.withView { view in
      try time("RGB of the JPEG to 224", rounds) {
        var span = values.mutableSpan
        try preparer.prepare(view, into: &span)
      }
    }
  }
}
