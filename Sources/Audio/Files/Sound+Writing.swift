import CForgeSound
import Forge
import ForgeLoaders

extension Sound {
  /// Writes the sound as a WAV file, replacing an existing one at once.
  ///
  /// Integers are rounded to the nearest, ties to even; what is beyond full scale is clipped, and a
  /// NaN becomes 0. Sounds beyond 4 GB become RF64.
  ///
  /// - Parameters:
  ///   - path: the file; its folder must exist.
  ///   - form: the form of the samples. WAV files have no ``SampleForm/int8``.
  /// - Throws: ``AudioError`` when the form is `int8` or the file cannot be written.
  public func write(to path: String, as form: SampleForm = .int16) throws(AudioError) {
    do {
      let head = try waveHeader(form)
      try FileReplacement.replace(path) { file in
        try head.withUnsafeBytes { head in try file.add(head) }
        var buffer = [UInt8](repeating: 0, count: Self.partSamples * form.byteCount)
        for start in stride(from: 0, to: samples.count, by: Self.partSamples) {
          let count = min(Self.partSamples, samples.count - start)
          encode(start..<start + count, form, into: &buffer)
          try buffer.withUnsafeBytes { bytes in
            try file.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(count * form.byteCount)))
          }
        }
        if !sampleBytes(form).isMultiple(of: 2) {
          try [UInt8(0)].withUnsafeBytes { try file.add($0) }
        }
      }
    } catch let error as AudioError {
      throw error.named(path)
    } catch let error as LoadError {
      throw SoundBytes.converted(error)
    } catch {
      throw AudioError(.unreadable, "the file cannot be written", path: path, cause: error)
    }
  }

  /// The bytes of a WAV file with the sound; see ``write(to:as:)``.
  ///
  /// - Parameter form: the form of the samples.
  /// - Returns: the whole file.
  /// - Throws: ``AudioError`` when the form is `int8` or there is not enough memory.
  public func wave(as form: SampleForm = .int16) throws(AudioError) -> [UInt8] {
    var bytes = try waveHeader(form)
    try Memory.check(floats: sampleBytes(form) / 2)
    bytes.reserveCapacity(bytes.count + sampleBytes(form) + 1)
    var buffer = [UInt8](repeating: 0, count: Self.partSamples * form.byteCount)
    for start in stride(from: 0, to: samples.count, by: Self.partSamples) {
      let count = min(Self.partSamples, samples.count - start)
      encode(start..<start + count, form, into: &buffer)
      bytes.append(contentsOf: buffer.prefix(count * form.byteCount))
    }
    if !bytes.count.isMultiple(of: 2) { bytes.append(0) }
    return bytes
  }

  private static let partSamples = 1 << 14

  private func sampleBytes(_ form: SampleForm) -> Int { samples.count * form.byteCount }

  private func encode(_ range: Range<Int>, _ form: SampleForm, into buffer: inout [UInt8]) {
    samples.withUnsafeBufferPointer { samples in
      buffer.withUnsafeMutableBufferPointer { buffer in
        guard let from = samples.baseAddress, let to = buffer.baseAddress else { return }
        forge_samples_write(form.code, from + range.lowerBound, Int64(range.count), to)
      }
    }
  }

  /// RIFF, the format and the beginning of the samples; RF64 where 32 bits do not hold the length.
  private func waveHeader(_ form: SampleForm) throws(AudioError) -> [UInt8] {
    guard form != .int8 else {
      throw .badArgument("the form of the samples", form.rawValue, needs: "uint8 for 8 bits")
    }
    let dataBytes = sampleBytes(form)
    let padded = dataBytes + dataBytes % 2
    let isLong = padded > Int(UInt32.max) - 1024
    var bytes: [UInt8] = []
    func add(_ text: String) { bytes.append(contentsOf: Array(text.utf8)) }
    func add(_ number: Int, _ count: Int) {
      for index in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(bitPattern: Int64(number)) >> (8 * index)))
      }
    }
    // Formats other than plain integers state their number of frames in a chunk "fact".
    let formatBytes = form.isFloat ? 18 : 16
    let rest = 4 + 8 + formatBytes + (form.isFloat ? 12 : 0) + 8 + padded
    add(isLong ? "RF64" : "RIFF")
    add(isLong ? 0xFFFF_FFFF : rest, 4)
    add("WAVE")
    if isLong {
      add("ds64")
      add(28, 4)
      add(rest + 36, 8)
      add(dataBytes, 8)
      add(frameCount, 8)
      add(0, 4)
    }
    add("fmt ")
    add(formatBytes, 4)
    add(form.isFloat ? 3 : 1, 2)
    add(channels, 2)
    add(rate, 4)
    let block = channels * form.byteCount
    guard block <= 65535 else { throw .tooManyChannels(channels, most: 65535 / form.byteCount) }
    add(min(rate.multipliedSaturated(by: block), Int(UInt32.max)), 4)
    add(block, 2)
    add(8 * form.byteCount, 2)
    if form.isFloat {
      add(0, 2)
      add("fact")
      add(4, 4)
      add(min(frameCount, Int(UInt32.max)), 4)
    }
    add("data")
    add(isLong ? 0xFFFF_FFFF : dataBytes, 4)
    return bytes
  }
}
