import ForgeAudio

/// WAV files: the header, all samples in parts, and what is computed with the first of them.
@_cdecl("forge_fuzz_wave")
public func fuzzWave(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return attempt(AudioError.self) {
    let reader = try SoundReader(bytes: bytes)
    var first: [Float] = []
    while true {
      let part = try reader.read(frames: 100)
      if part.isEmpty { break }
      if first.isEmpty { first = try part.mono(channels: reader.format.channels) }
    }
    guard reader.position <= bytes.count else { fatalError("more frames than bytes") }
    let stft = STFT(size: 17, hop: 5, padding: .zeros)
    for values in try [
      first.bars(7), first.decibels().clipped(to: -60...0), stft.spectrogram(of: first).values,
    ] {
      values.withUnsafeBytes { touch($0) }
    }
  }
}
