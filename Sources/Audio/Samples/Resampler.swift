import CForgeSound
import Forge

/// Changes the rate of a sound, with torchaudio's `sinc_interp_hann`.
///
/// With the rates divided by their greatest common divisor, `o` and `n`, the cut-off
/// `b = min(o, n) · rolloff` and `t` in frames of the lower rate, output sample `j` is
///
/// `y(j) = Σ x(i) · b/o · sinc(t) · cos²(π t / 2w)`, `t = (i/o − j/n) · b`, for `|t| < w`
///
/// where `sinc(t) = sin(πt) / πt` and `w` is ``width``. Samples before and after the sound are 0,
/// and the result has ⌈count · n / o⌉ samples. This is `torchaudio.transforms.Resample`, whose
/// weights are computed in double precision and rounded to Float.
///
/// A sound may be processed in parts of any size; the result has the same bits:
///
/// ```swift
/// var resampler = try Resampler(from: 44100, to: 16000)
/// let reader = try SoundReader(contentsOf: "message.wav")
/// var voice: [Float] = []
/// while reader.position < reader.frameCount ?? 0 {
///   voice += try resampler.process(reader.read(frames: 4096))
/// }
/// voice += try resampler.finish()
/// ```
public struct Resampler: Sendable {
  /// The rate of the input, in hertz.
  public let inputRate: Int
  /// The rate of the output, in hertz.
  public let outputRate: Int
  /// The zeros of the sinc function on each side: `lowpass_filter_width`.
  public let width: Int
  /// The cut-off as a share of half the lower rate.
  public let rolloff: Double

  private let table: PolyphaseTable
  /// The samples that outputs to come read, from that at ``start`` on.
  private var kept: [Float]
  private var received = 0
  private var sent = 0
  /// The position of the first kept sample in the sound; negative before its beginning.
  private var start: Int

  /// Creates a resampler.
  ///
  /// - Parameters:
  ///   - inputRate: the rate of the input, at least 1.
  ///   - outputRate: the rate of the output, at least 1.
  ///   - width: the zeros of the sinc function on each side, 1 to 256. More are steeper and slower.
  ///   - rolloff: the cut-off as a share of half the lower rate, above 0 and at most 1.
  /// - Throws: ``AudioError`` when a number is out of range, or the rates have so little in common
  ///   that their weights exceed 2²⁴.
  public init(
    from inputRate: Int, to outputRate: Int, width: Int = 6, rolloff: Double = 0.99
  ) throws(AudioError) {
    for rate in [inputRate, outputRate] {
      guard 1...Int(UInt32.max) ~= rate else {
        throw .badArgument("the rate", rate, needs: "1 to 4294967295 hertz")
      }
    }
    guard 1...256 ~= width else { throw .badArgument("the width", width, needs: "1 to 256") }
    guard rolloff > 0, rolloff <= 1 else {
      throw .badArgument("the rolloff", rolloff, needs: "more than 0 and at most 1")
    }
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.width = width
    self.rolloff = rolloff
    table = try PolyphaseTable(from: inputRate, to: outputRate, width: width, rolloff: rolloff)
    start = -table.before
    kept = [Float](repeating: 0, count: table.before)
  }

  /// The samples that a part of the sound completes.
  ///
  /// - Parameter samples: the part, one channel.
  /// - Returns: the samples of the output that need no later ones of the input.
  /// - Throws: ``AudioError`` when there is not enough memory.
  public mutating func process(_ samples: [Float]) throws(AudioError) -> [Float] {
    if table.isIdentity { return samples }
    received += samples.count
    try Memory.check(floats: kept.count + samples.count)
    kept.append(contentsOf: samples)
    // Output t = j·n + p reads from j·o + first(p) on, as many samples as a phase has weights.
    let available = start + kept.count
    let periods = (available - table.before - table.taps) / table.step
    return try output(upTo: max(periods, 0).multipliedSaturated(by: table.phases))
  }

  /// The last samples, and a fresh start.
  ///
  /// - Returns: the samples of the output that are left, so that all parts together have
  ///   ⌈count · outputRate / inputRate⌉.
  /// - Throws: ``AudioError`` when there is not enough memory.
  public mutating func finish() throws(AudioError) -> [Float] {
    if table.isIdentity { return [] }
    let (high, low) = received.multipliedFullWidth(by: table.phases)
    let total =
      high == 0 && low < UInt(Int.max) - UInt(table.step)
      ? Int((low + UInt(table.step) - 1) / UInt(table.step)) : sent
    kept.append(contentsOf: repeatElement(0, count: table.before + table.taps + 2 * table.step))
    let last = try output(upTo: total)
    (received, sent, start) = (0, 0, -table.before)
    kept = [Float](repeating: 0, count: table.before)
    return last
  }

  private mutating func output(upTo end: Int) throws(AudioError) -> [Float] {
    guard end > sent else { return [] }
    // Phases start again at the first kept block of inputs.
    let block = sent / table.phases
    let offset = block * table.phases
    let lowest = block * table.step - table.before
    let result = try Memory.floats(end - sent) { out in
      kept.withUnsafeBufferPointer { kept in
        guard let base = kept.baseAddress else { return }
        table.run(base + (lowest - start), from: sent - offset, to: end - offset, out)
      }
    }
    sent = end
    let unused = sent / table.phases * table.step - table.before - start
    if unused > 0 {
      kept.removeFirst(min(unused, kept.count))
      start += unused
    }
    return result
  }
}

/// The weights of a resampler: for each phase those that are not 0.
final class PolyphaseTable: Sendable {
  let phases: Int
  let step: Int
  /// The samples before that of an output which its first weight reads.
  let before: Int
  /// The samples that a block of outputs reads beyond the first of each.
  let taps: Int
  let stride: Int
  private let first: [Int32]
  private let weights: [Float]

  var isIdentity: Bool { phases == 1 && step == 1 }

  init(from inputRate: Int, to outputRate: Int, width: Int, rolloff: Double) throws(AudioError) {
    var (a, b) = (inputRate, outputRate)
    while b != 0 { (a, b) = (b, a % b) }
    let (old, new) = (inputRate / a, outputRate / a)
    let base = Double(min(old, new)) * rolloff
    // A tiny rolloff needs more weights than an Int counts.
    let reach = Int(min((Double(width) * Double(old) / base).rounded(.up), 16_777_216))
    let window = 2 * reach + 2
    let stride = (window + 15) / 16 * 16
    guard reach < 1 << 24, stride.multipliedSaturated(by: new) <= 1 << 24 else {
      throw .badArgument(
        "the pair of rates", "\(inputRate) and \(outputRate)",
        needs: "rates whose weights do not exceed 2²⁴")
    }
    var first = [Int32](repeating: 0, count: new)
    var weights = [Float](repeating: 0, count: stride * new)
    for phase in 0..<new where !(old == 1 && new == 1) {
      // The place of the output among the inputs is phase · old / new.
      let center = phase * old / new
      first[phase] = Int32(center)
      for tap in 0..<window {
        let index = center - reach + tap
        // torchaudio has the weights of the inputs −reach to old + reach.
        guard index < old + reach else { continue }
        let time: Double = Double(index) / Double(old) - Double(phase) / Double(new)
        let t: Double = time * base
        guard abs(t) < Double(width) else { continue }
        let cosine: Double = Numbers.cosine(t * Double.pi / Double(width) / 2)
        let angle: Double = t * Double.pi
        let sinc: Double = angle == 0 ? 1 : Numbers.sine(angle) / angle
        let share: Double = base / Double(old)
        weights[phase * stride + tap] = Float(sinc * cosine * cosine * share)
      }
    }
    (phases, step, before, self.stride) = (new, old, reach, stride)
    taps = old + stride
    self.first = first
    self.weights = weights
  }

  func run(
    _ samples: UnsafePointer<Float>, from: Int, to: Int, _ out: UnsafeMutablePointer<Float>
  ) {
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        var polyphase = forge_polyphase(
          phases: Int64(phases), step: Int64(step), stride: Int64(stride),
          first: first.baseAddress, taps: weights.baseAddress)
        forge_resample(SoundLevel.current, &polyphase, samples, Int64(from), Int64(to), out)
      }
    }
  }
}

extension Array where Element == Float {
  /// The samples at another rate; see ``Resampler``.
  ///
  /// - Parameters:
  ///   - inputRate: the rate of the samples, which are one channel.
  ///   - outputRate: the rate of the result.
  /// - Returns: ⌈count · outputRate / inputRate⌉ samples.
  /// - Throws: ``AudioError`` when a rate is out of range or there is not enough memory.
  public func resampled(from inputRate: Int, to outputRate: Int) throws(AudioError) -> [Float] {
    var resampler = try Resampler(from: inputRate, to: outputRate)
    var result = try resampler.process(self)
    result.append(contentsOf: try resampler.finish())
    return result
  }
}

extension Sound {
  /// The sound at another rate; see ``Resampler``.
  ///
  /// - Parameter rate: the new rate, in hertz.
  /// - Returns: ⌈frameCount · rate / self.rate⌉ frames of as many channels.
  /// - Throws: ``AudioError`` when the rate is out of range or there is not enough memory.
  public func resampled(to rate: Int) throws(AudioError) -> Sound {
    guard rate != self.rate else { return self }
    if channels == 1 {
      return Sound(
        checked: try samples.resampled(from: self.rate, to: rate), rate: rate, channels: 1)
    }
    var parts: [[Float]] = []
    for index in 0..<channels {
      parts.append(try channel(index).resampled(from: self.rate, to: rate))
    }
    let count = parts.first?.count ?? 0
    let samples = try Memory.floats(count * channels) { out in
      for (index, part) in parts.enumerated() {
        for frame in 0..<count { out[frame * channels + index] = part[frame] }
      }
    }
    return Sound(checked: samples, rate: rate, channels: channels)
  }
}
