import CForgeSound
import Forge

/// What a short-time Fourier transform does at the ends of a sound.
public enum FramePadding: String, Hashable, Sendable, CaseIterable {
  /// Nothing: the first frame begins with the first sample.
  case none
  /// Frames are centered, and the sound is mirrored at its ends: `center=True` of torchaudio, and
  /// of librosa with `pad_mode="reflect"`. It needs more than size / 2 samples.
  case reflect
  /// Frames are centered, with silence before and after the sound: librosa's default.
  case zeros
  /// Frames end with the samples that have come so far, with silence before the first: size − hop
  /// samples. As a layer, it keeps those of one prediction for the next.
  case streaming
}

/// What a short-time Fourier transform returns for each bin.
public enum SpectrumValues: String, Hashable, Sendable, CaseIterable {
  /// The complex number: its real part, then its imaginary part.
  case complex
  /// The square of the magnitude.
  case power
  /// The magnitude.
  case magnitude

  var code: forge_spectrum_kind {
    switch self {
    case .complex: FORGE_SPECTRUM_COMPLEX
    case .power: FORGE_SPECTRUM_POWER
    case .magnitude: FORGE_SPECTRUM_MAGNITUDE
    }
  }
}

/// A short-time Fourier transform: the spectrum of each frame of a sound.
///
/// `X(f, k) = Σ w(i) · x(f · hop + i) · exp(−2πi · i k / size)` for the bins `k` from 0 to ⌊size /
/// 2⌋, where `x` is the padded sound. This is `librosa.stft` and `torch.stft`, with a row for each
/// frame.
///
/// It is a function of arrays and a layer:
///
/// ```swift
/// let samples = try Sound(contentsOf: "message.wav").mono().samples
/// let stft = STFT(size: 512, hop: 128, values: .power)
/// let rows = try stft.spectrogram(of: samples)  // 257 numbers for each frame
/// let output = Input(shape: [16000]) --> stft   // (126, 257)
/// ```
///
/// - Input shape: (samples) or (samples, 1) in memory order.
/// - Output shape: (frames, bins), for `.complex` (frames, 2 · bins). With `.none` there are
///   ⌊(samples − size) / hop⌋ + 1 frames, with `.reflect` and `.zeros` ⌊(samples + 2⌊size / 2⌋ −
///   size) / hop⌋ + 1, with `.streaming` samples / hop.
/// - State with padding `.streaming`: `samples` [1][size − hop][1], those before the next part.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a number out of range and for a part of a stream that the hop
///   does not divide, `shapeMismatch` for an input that is not a sound of one channel,
///   `emptyOutput` when no frame fits.
/// - Names elsewhere: librosa.stft, torch.stft, Keras STFTSpectrogram, ONNX STFT.
public struct STFT: Layer {
  /// The name, if given.
  public let name: String?
  /// The source location.
  public let place: SourcePlace
  /// The samples of a frame: `n_fft`.
  public let size: Int
  /// The samples from frame to frame.
  public let hop: Int
  /// The window.
  public let window: SpectrumWindow
  /// The samples that the window covers, in the middle of a frame.
  public let windowLength: Int
  /// What is done at the ends.
  public let padding: FramePadding
  /// What is given for each bin.
  public let values: SpectrumValues
  /// Whether the last frame is left out, as Whisper does.
  public let omitsLastFrame: Bool

  /// Creates a transform; its numbers are checked where it is used.
  ///
  /// - Parameters:
  ///   - size: the samples of a frame, 1 to 131,072; any number, though those without large prime
  ///     factors are faster.
  ///   - hop: the samples from frame to frame; by default a quarter of `size`.
  ///   - window: the window.
  ///   - windowLength: the samples that the window covers, in the middle of a frame; by default
  ///     all.
  ///   - padding: what is done at the ends.
  ///   - values: what is given for each bin.
  ///   - omitsLastFrame: whether the last frame is left out.
  ///   - name: the name in summaries and of the state.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    size: Int, hop: Int? = nil, window: SpectrumWindow = .hann, windowLength: Int? = nil,
    padding: FramePadding = .reflect, values: SpectrumValues = .complex,
    omitsLastFrame: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.size = size
    self.hop = hop ?? max(size / 4, 1)
    self.window = window
    self.windowLength = windowLength ?? size
    self.padding = padding
    self.values = values
    self.omitsLastFrame = omitsLastFrame
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Lowers to a convolution with the waves of all bins, and what is made of its numbers.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.spectrum(self)
  }

  /// The number of bins: ⌊size / 2⌋ + 1.
  public var bins: Int { size / 2 + 1 }

  /// The numbers of a frame.
  var width: Int { values == .complex ? 2 * bins : bins }

  /// The spectra of a sound.
  ///
  /// - Parameter samples: one channel.
  /// - Returns: a row for each frame.
  /// - Throws: ``AudioError`` when a number is out of range, the sound is too short to be mirrored,
  ///   or there is not enough memory.
  public func spectrogram(of samples: [Float]) throws(AudioError) -> Spectrogram {
    try analyzer(threads: 1).spectrogram(of: samples)
  }

  /// Computes the spectra of one sound after the other with tables that are made once.
  ///
  /// - Parameter threads: the threads of one sound. The values do not depend on it.
  /// - Returns: the analyzer.
  /// - Throws: ``AudioError`` when a number is out of range or there is not enough memory.
  public func analyzer(
    threads: CompileOptions.Threads = .automatic
  ) throws(AudioError) -> SpectrumAnalyzer {
    try SpectrumAnalyzer(self, threads: threads)
  }
}

extension STFT {
  /// The largest frame.
  static let mostSize = 1 << 17

  static func check(size: Int) throws(AudioError) {
    guard 1...mostSize ~= size else {
      throw .badArgument("the size of a frame", size, needs: "1 to \(mostSize) samples")
    }
  }

  /// What is out of range.
  var problem: (name: String, value: String, needs: String)? {
    if !(1...Self.mostSize ~= size) {
      return ("the size of a frame", "\(size)", "1 to \(Self.mostSize) samples")
    }
    if !(1...1 << 30 ~= hop) { return ("the hop", "\(hop)", "1 to \(1 << 30) samples") }
    if !(1...size ~= windowLength) {
      return ("the length of the window", "\(windowLength)", "1 to \(size) samples")
    }
    if padding == .streaming, hop > size {
      return ("the hop of a stream", "\(hop)", "at most the size, \(size) samples")
    }
    return nil
  }

  func check() throws(AudioError) {
    if let problem { throw .badArgument(problem.name, problem.value, needs: problem.needs) }
  }

  /// The weights of a frame: the window in its middle.
  func frameWeights() -> [Double] {
    let before = (size - windowLength) / 2
    let weights = window.exactWeights(windowLength)
    return [Double](repeating: 0, count: before) + weights
      + [Double](repeating: 0, count: size - windowLength - before)
  }

  /// The samples that are added before and after a sound.
  func margins(_ count: Int) throws(AudioError) -> (before: Int, after: Int) {
    switch padding {
    case .none: return (0, 0)
    case .streaming: return (size - hop, 0)
    case .zeros: return (size / 2, size / 2)
    case .reflect:
      guard count > size / 2 else { throw .tooShortToMirror(count, needs: size / 2 + 1) }
      return (size / 2, size / 2)
    }
  }

  /// The frames of a padded sound.
  func frameCount(padded count: Int) -> Int {
    guard count >= size else { return 0 }
    return (count - size) / hop + (omitsLastFrame ? 0 : 1)
  }

  /// The sound with its margins.
  func padded(_ samples: [Float], before: Int, after: Int) throws(AudioError) -> [Float] {
    try Memory.floats(before + samples.count + after) { out in
      let count = samples.count
      samples.withUnsafeBufferPointer { samples in
        if let base = samples.baseAddress { (out + before).initialize(from: base, count: count) }
        for index in 0..<before {
          out[index] = padding == .reflect ? samples[before - index] : 0
        }
        for index in 0..<after {
          out[before + count + index] = padding == .reflect ? samples[count - 2 - index] : 0
        }
      }
    }
  }
}
