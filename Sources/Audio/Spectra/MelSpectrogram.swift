import Forge

/// The powers of a spectrum in bands that follow hearing, usually as logarithms.
///
/// `y(f, b) = log(Σ weight(b, k) · |X(f, k)|²)`, with the spectrum of ``STFT`` and the weights of
/// ``MelFilterBank``. It is a function of arrays and a layer:
///
/// ```swift
/// let mel = MelSpectrogram(bands: 80, rate: 16000, size: 400, hop: 160, scale: .logarithm())
/// let rows = try mel.spectrogram(of: samples)   // 80 numbers for each frame
/// let output = Input(shape: [16000]) --> mel    // (101, 80)
/// ```
///
/// - Input shape: (samples) or (samples, 1) in memory order.
/// - Output shape: (frames, bands); see ``STFT`` for the number of frames.
/// - State: that of ``STFT``, with padding `.streaming`.
/// - Parameters: none.
/// - Errors: those of ``STFT``; `invalidArgument` for bands and scales out of range, and for a
///   scale that depends on the largest number of all in a stream.
/// - Names elsewhere: librosa.feature.melspectrogram, torchaudio MelSpectrogram, Keras
///   MelSpectrogram.
public struct MelSpectrogram: Layer {
  /// `MelSpec` for short.
  public static var summaryName: String { "MelSpec" }
  /// The name, if given.
  public var name: String? { stft.name }
  /// The source location.
  public var place: SourcePlace { stft.place }
  /// The transform; ``STFT/values`` says whether bands sum powers or magnitudes.
  public let stft: STFT
  /// The bands.
  public let bands: MelFilterBank
  /// What is made of the sums.
  public let scale: SpectrumScale

  /// Creates a mel spectrogram; its numbers are checked where it is used.
  ///
  /// - Parameters:
  ///   - bands: the number of bands.
  ///   - rate: the samples per second.
  ///   - size: the samples of a frame.
  ///   - hop: the samples from frame to frame; by default a quarter of `size`.
  ///   - window: the window.
  ///   - windowLength: the samples that the window covers; by default all of a frame.
  ///   - padding: what is done at the ends.
  ///   - lowest: the lowest frequency, in hertz.
  ///   - highest: the highest frequency, in hertz; `nil` for half the rate.
  ///   - melScale: the scale of frequencies.
  ///   - normalization: how the bands are scaled.
  ///   - sumsMagnitudes: whether bands sum magnitudes instead of powers.
  ///   - scale: what is made of the sums.
  ///   - omitsLastFrame: whether the last frame is left out.
  ///   - name: the name in summaries and of the state.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    bands: Int, rate: Int, size: Int, hop: Int? = nil, window: SpectrumWindow = .hann,
    windowLength: Int? = nil, padding: FramePadding = .reflect, lowest: Double = 0,
    highest: Double? = nil, melScale: MelScale = .slaney, normalization: MelNormalization = .slaney,
    sumsMagnitudes: Bool = false, scale: SpectrumScale = .linear, omitsLastFrame: Bool = false,
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    stft = STFT(
      size: size, hop: hop, window: window, windowLength: windowLength, padding: padding,
      values: sumsMagnitudes ? .magnitude : .power, omitsLastFrame: omitsLastFrame, name: name,
      fileID: fileID, line: line, column: column)
    self.bands = MelFilterBank(
      count: bands, rate: rate, lowest: lowest, highest: highest, scale: melScale,
      normalization: normalization)
    self.scale = scale
  }

  /// The front end of Whisper: 16 kHz, frames of 25 ms every 10 ms, its own logarithm.
  ///
  /// Whisper pads sounds to 30 s with silence before.
  ///
  /// - Parameters:
  ///   - bands: the number of bands: 80, or 128 for its third version.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the layer.
  public static func whisper(
    bands: Int = 80, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> MelSpectrogram {
    MelSpectrogram(
      bands: bands, rate: 16000, size: 400, hop: 160, scale: .whisper, omitsLastFrame: true,
      name: name, fileID: fileID, line: line, column: column)
  }

  /// Lowers to the spectrum, a product with the weights of the bands, and the logarithm.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.melSpectrum(self)
  }

  /// The bands of a sound over time.
  ///
  /// - Parameter samples: one channel.
  /// - Returns: a row for each frame.
  /// - Throws: ``AudioError`` when a number is out of range, the sound is too short to be mirrored,
  ///   or there is not enough memory.
  public func spectrogram(of samples: [Float]) throws(AudioError) -> Spectrogram {
    try analyzer(threads: 1).spectrogram(of: samples)
  }

  /// Computes the bands of one sound after the other with tables that are made once.
  ///
  /// - Parameter threads: the threads of one sound. The values do not depend on it.
  /// - Returns: the analyzer.
  /// - Throws: ``AudioError`` when a number is out of range or there is not enough memory.
  public func analyzer(
    threads: CompileOptions.Threads = .automatic
  ) throws(AudioError) -> SpectrumAnalyzer {
    try SpectrumAnalyzer(stft, bands: bands, scale: scale, threads: threads)
  }
}
