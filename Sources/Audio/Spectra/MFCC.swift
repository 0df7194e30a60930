import CForgeSound
import Forge

/// Mel-frequency cepstral coefficients: the cosine transform of the logarithms of mel bands.
///
/// `y(f, c) = s(c) · Σ log-mel(f, b) · cos(π c (2b + 1) / 2B)`, with `s(0) = √(1/B)` and
/// `s(c) = √(2/B)`, the orthonormal DCT-II of `B` bands. With a `lifter` `L`, coefficient `c` is
/// multiplied by `1 + L/2 · sin(π (c + 1) / L)`. It is a function of arrays and a layer.
///
/// ```swift
/// let mfcc = MFCC(
///   count: 13,
///   mel: MelSpectrogram(bands: 40, rate: 16000, size: 400, hop: 160, scale: .logarithm()))
/// let rows = try mfcc.spectrogram(of: samples)  // 13 numbers for each frame
/// ```
///
/// - Input shape: (samples) or (samples, 1) in memory order.
/// - Output shape: (frames, count); see ``STFT`` for the number of frames.
/// - State: that of ``STFT``, with padding `.streaming`.
/// - Parameters: none.
/// - Errors: those of ``MelSpectrogram``; `invalidArgument` for more coefficients than bands.
/// - Names elsewhere: librosa.feature.mfcc, torchaudio MFCC.
public struct MFCC: Layer {
  /// The name, if given.
  public let name: String?
  /// The source location.
  public let place: SourcePlace
  /// The number of coefficients.
  public let count: Int
  /// The logarithms of the bands.
  public let mel: MelSpectrogram
  /// The period of the lifter; 0 for none.
  public let lifter: Int

  /// Creates the coefficients; their numbers are checked where they are used.
  ///
  /// - Parameters:
  ///   - count: the number of coefficients, at most that of the bands.
  ///   - mel: the bands, with a logarithmic scale: librosa's is `.decibels(range: 80)`.
  ///   - lifter: the period of the lifter; 0 for none.
  ///   - name: the name in summaries and of the state.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    count: Int, mel: MelSpectrogram, lifter: Int = 0, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.count = count
    self.mel = mel
    self.lifter = lifter
    self.name = name ?? mel.name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Lowers to the bands and a product with the cosines.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try lowering.check(problem)
    let rows = try lowering.melSpectrum(mel)
    lowering.output = try lowering.product(
      rows, CosineTable.weights(bands: mel.bands.count, count: count, lifter: lifter),
      outputs: count)
  }

  /// The coefficients of a sound over time.
  ///
  /// - Parameter samples: one channel.
  /// - Returns: a row for each frame.
  /// - Throws: ``AudioError`` when a number is out of range, the sound is too short to be mirrored,
  ///   or there is not enough memory.
  public func spectrogram(of samples: [Float]) throws(AudioError) -> Spectrogram {
    try analyzer(threads: 1).spectrogram(of: samples)
  }

  /// Computes the coefficients of one sound after the other with tables that are made once.
  ///
  /// - Parameter threads: the threads of one sound. The values do not depend on it.
  /// - Returns: the analyzer.
  /// - Throws: ``AudioError`` when a number is out of range or there is not enough memory.
  public func analyzer(
    threads: CompileOptions.Threads = .automatic
  ) throws(AudioError) -> SpectrumAnalyzer {
    try mel.bands.check()
    if let problem { throw .badArgument(problem.name, problem.value, needs: problem.needs) }
    return try SpectrumAnalyzer(
      mel.stft, bands: mel.bands, scale: mel.scale,
      product: CosineTable(bands: mel.bands.count, count: count, lifter: lifter), threads: threads)
  }

  /// What is out of range.
  var problem: (name: String, value: String, needs: String)? {
    if let problem = mel.bands.problem { return problem }
    if !(1...mel.bands.count ~= count) {
      return ("the number of coefficients", "\(count)", "1 to \(mel.bands.count), the bands")
    }
    return lifter >= 0 ? nil : ("the lifter", "\(lifter)", "at least 0")
  }
}

/// The cosines of an orthonormal DCT-II, with a lifter.
final class CosineTable: Sendable {
  let inputs: Int
  let outputs: Int
  private let stride: Int
  /// [bands][stride], filled with 0.
  private let matrix: [Float]

  init(bands: Int, count: Int, lifter: Int) {
    inputs = bands
    outputs = count
    stride = (count + 15) / 16 * 16
    var matrix = [Float](repeating: 0, count: bands * stride)
    let weights = Self.weights(bands: bands, count: count, lifter: lifter)
    for (index, weight) in weights.enumerated() {
      matrix[index % bands * stride + index / bands] = weight
    }
    self.matrix = matrix
  }

  /// The weights, [count][bands].
  static func weights(bands: Int, count: Int, lifter: Int) -> [Float] {
    (0..<count).flatMap { c in
      let scale = (Double(c == 0 ? 1 : 2) / Double(bands)).squareRoot()
      let lift =
        lifter > 0
        ? 1 + Double(lifter) / 2 * Numbers.sine(.pi * Double(c + 1) / Double(lifter)) : 1
      return (0..<bands).map { b in
        Float(scale * lift * Numbers.turn(c * (2 * b + 1), of: 4 * bands).0)
      }
    }
  }

  /// The products with rows of `inputs` numbers.
  func applied(to values: [Float]) throws(AudioError) -> [Float] {
    let rows = values.count / inputs
    return try Memory.floats(rows * outputs) { out in
      values.withUnsafeBufferPointer { values in
        matrix.withUnsafeBufferPointer { matrix in
          guard let values = values.baseAddress, let matrix = matrix.baseAddress else { return }
          forge_rows_product(
            SoundLevel.current, values, Int64(rows), Int64(inputs), matrix, Int64(outputs),
            Int64(stride), out)
        }
      }
    }
  }
}
