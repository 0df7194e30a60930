import CForgeSound
import Forge
import ForgeSystem

extension STFT {
  /// The sound of a complex spectrogram.
  ///
  /// Frames are transformed back, weighted with the window and added; each sample is divided by the
  /// sum of the squares of the windows that cover it, unless that is 0. What ``padding`` added is
  /// removed. This is `librosa.istft`. Where windows cover every sample, the sound of
  /// ``spectrogram(of:)`` is the one that it came from.
  ///
  /// - Parameters:
  ///   - spectrogram: complex numbers, a row for each frame.
  ///   - count: the number of samples; by default all that the frames cover, which may be a few
  ///     less than the sound had. Silence fills up what no frame covers.
  /// - Returns: the samples.
  /// - Throws: ``AudioError`` when a number is out of range, the rows have another width, or there
  ///   is not enough memory.
  public func samples(
    of spectrogram: Spectrogram, count: Int? = nil
  ) throws(AudioError) -> [Float] {
    try check()
    guard spectrogram.width == 2 * bins else {
      throw .wrongValueCount(
        spectrogram.width, needs: "rows of \(2 * bins) values, complex numbers of \(bins) bins")
    }
    guard (count ?? 0) >= 0 else {
      throw .badArgument("the number of samples", count ?? 0, needs: "at least 0")
    }
    let frames = spectrogram.frameCount
    let covered = frames > 0 ? (frames - 1).multipliedSaturated(by: hop).addingSaturated(size) : 0
    let weights = frameWeights()
    var sound = try Memory.floats(covered) { $0.initialize(repeating: 0, count: covered) }
    try synthesize(spectrogram, weights, into: &sound)
    try Self.divide(&sound, byWindows: weights.map { Float($0 * $0) }, hop: hop, frames: frames)
    let (before, after): (Int, Int) =
      switch padding {
      case .none: (0, 0)
      case .streaming: (size - hop, 0)
      case .zeros, .reflect: (size / 2, size / 2)
      }
    let end = max(covered - after, before)
    guard let count else { return Array(sound[min(before, covered)..<min(end, covered)]) }
    try Memory.check(floats: count)
    let inside = sound.dropFirst(before).prefix(count)
    return Array(inside) + [Float](repeating: 0, count: count - inside.count)
  }

  private func synthesize(
    _ spectrogram: Spectrogram, _ weights: [Double], into sound: inout [Float]
  ) throws(AudioError) {
    let isEven = size.isMultiple(of: 2)
    let fourier = FourierTable(size: isEven ? size / 2 : size)
    let tables = FloatTables()
    var plan = forge_synthesis()
    plan.level = SoundLevel.current
    plan.frames = Int64(spectrogram.frameCount)
    plan.size = Int64(size)
    plan.hop = Int64(hop)
    plan.fourier = UnsafePointer(fourier.pointer)
    plan.window = tables.add(
      weights.enumerated().map { index, weight in
        Float((isEven && index % 2 == 1 ? -weight : weight) / Double(size))
      })
    plan.turns = tables.add(
      (0...size / 4).flatMap { k in
        let (c, s) = Numbers.turn(k, of: size)
        return [Float(c), Float(s)]
      })
    let byteCount = Int(forge_synthesis_scratch(&plan))
    guard let scratch = AlignedMemory.allocate(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    defer { AlignedMemory.free(scratch) }
    plan.scratch = scratch.assumingMemoryBound(to: UInt8.self)
    spectrogram.values.withUnsafeBufferPointer { spectra in
      sound.withUnsafeMutableBufferPointer { sound in
        plan.spectra = spectra.baseAddress
        plan.out = sound.baseAddress
        withExtendedLifetime((fourier, tables)) { forge_synthesis_run(&plan) }
      }
    }
  }

  /// Divides samples by the sum of the squared windows that cover them.
  private static func divide(
    _ samples: inout [Float], byWindows squares: [Float], hop: Int, frames: Int
  ) throws(AudioError) {
    let count = samples.count
    let sums = try Memory.floats(count) { out in
      out.initialize(repeating: 0, count: count)
      for frame in 0..<frames {
        for (index, square) in squares.enumerated() { out[frame * hop + index] += square }
      }
    }
    for index in 0..<count where sums[index] > .leastNormalMagnitude {
      samples[index] /= sums[index]
    }
  }
}
