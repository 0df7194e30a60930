import CForgeSound
import Forge
import ForgeSystem

/// Computes spectra of one sound after the other with tables that are made once.
///
/// `STFT`, `MelSpectrogram` and `MFCC` make one; their functions of arrays make one for each call.
///
/// ```swift
/// let analyzer = try MelSpectrogram.whisper().analyzer()
/// for clip in clips { print(try analyzer.spectrogram(of: clip).frameCount) }
/// ```
///
/// One thread uses an analyzer at a time. The values do not depend on the number of threads that it
/// uses, nor on the machine's vectors.
public final class SpectrumAnalyzer {
  private let stft: STFT
  private let bands: MelFilterBank?
  private let scale: SpectrumScale
  private let product: CosineTable?
  private let threads: Int
  private let fourier: FourierTable
  private let tables = FloatTables()
  private var plan = forge_spectrum()
  private let scratch: UnsafeMutableRawPointer

  init(
    _ stft: STFT, bands: MelFilterBank? = nil, scale: SpectrumScale = .linear,
    product: CosineTable? = nil, threads: CompileOptions.Threads = .automatic
  ) throws(AudioError) {
    try stft.check()
    try bands?.check()
    if let problem = scale.problem {
      throw .badArgument(problem.name, problem.value, needs: problem.needs)
    }
    self.stft = stft
    self.bands = bands
    self.scale = scale
    self.product = product
    self.threads = threads.spectrumCount
    let size = stft.size
    fourier = FourierTable(size: size.isMultiple(of: 2) ? size / 2 : size)
    plan.size = Int64(size)
    plan.hop = Int64(stft.hop)
    plan.fourier = UnsafePointer(fourier.pointer)
    plan.window = tables.add(stft.frameWeights().map { Float($0) })
    plan.turns = tables.add(
      (0...size / 4).flatMap { k in
        let (c, s) = Numbers.turn(k, of: size)
        return [Float(c), Float(s)]
      })
    plan.map = -1
    plan.kind = Int32(stft.values.code.rawValue)
    if let bands {
      let bands = bands.bands(size: size)
      plan.kind = Int32(FORGE_SPECTRUM_BANDS.rawValue)
      plan.magnitudes = stft.values == .magnitude
      plan.bands = Int64(bands.count)
      plan.first = tables.add(bands.map(\.first))
      plan.count = tables.add(bands.map(\.weights.count))
      var (offsets, offset): ([Int], Int) = ([], 0)
      for band in bands {
        offsets.append(offset)
        offset += band.weights.count
      }
      plan.offset = tables.add(offsets)
      plan.weights = tables.add(bands.flatMap(\.weights))
      let map = scale.map
      (plan.map, plan.a, plan.b, plan.c) = (map.kind, map.a, map.b, map.c)
    }
    let byteCount = Int(forge_spectrum_scratch(&plan))
    plan.scratch_bytes = Int64(byteCount)
    guard let memory = AlignedMemory.allocate(byteCount: byteCount * self.threads) else {
      throw .outOfMemory(byteCount: byteCount * self.threads)
    }
    scratch = memory
    plan.scratch = memory.assumingMemoryBound(to: UInt8.self)
  }

  deinit { AlignedMemory.free(scratch) }

  /// The numbers of a frame.
  public var width: Int {
    if let product { return product.outputs }
    if let bands { return bands.count }
    return stft.width
  }

  /// The spectra of a sound.
  ///
  /// - Parameter samples: one channel. A number that is not finite makes all numbers of the frames
  ///   that hold it not finite.
  /// - Returns: a row for each frame.
  /// - Throws: ``AudioError`` when the sound is too short to be mirrored, or there is not enough
  ///   memory.
  public func spectrogram(of samples: [Float]) throws(AudioError) -> Spectrogram {
    let (before, after) = try stft.margins(samples.count)
    let padded =
      before + after == 0 ? samples : try stft.padded(samples, before: before, after: after)
    let frames = stft.frameCount(padded: padded.count)
    guard frames > 0 else { return Spectrogram(checked: [], width: width) }
    let rows = bands?.count ?? stft.width
    var values = try Memory.floats(frames.multipliedSaturated(by: rows)) { out in
      padded.withUnsafeBufferPointer { samples in
        plan.level = SoundLevel.current
        plan.samples = samples.baseAddress
        plan.frames = Int64(frames)
        plan.out = out
        forge_spectrum_run(&plan, Int32(threads))
      }
    }
    scale.limit(&values)
    if let product { values = try product.applied(to: values) }
    return Spectrogram(checked: values, width: width)
  }
}

extension CompileOptions.Threads {
  /// The threads of a spectrum.
  var spectrumCount: Int {
    if self == .atMost(1) || self == .exactly(1) { return 1 }
    return max(1, min(count(usable: Device.usableCores()), CompileOptions.Threads.maximum))
  }
}
