#if HDF5
  import ForgeLoaders
  import ForgeShapes
  import Testing

  @Suite struct InflateTests {
    /// The streams of the generating script: stored, two levels, fixed codes, codes without
    /// repeats.
    private func streams() throws -> [[UInt8]] {
      var rest = try Fixtures.bytes("deflated.bin")[...]
      var streams: [[UInt8]] = []
      while rest.count >= 4 {
        let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        streams.append(Array(rest.dropFirst(4).prefix(length)))
        rest = rest.dropFirst(4 + length)
      }
      return streams
    }

    private func inflate(_ stream: [UInt8], count: Int) -> [UInt8]? {
      var output = [UInt8](repeating: 0xee, count: count + 8)
      let isGood = output.withUnsafeMutableBytes { output in
        stream.withUnsafeBytes { stream in
          Inflate.zlib(stream, into: UnsafeMutableRawBufferPointer(rebasing: output[..<count]))
        }
      }
      #expect(output.suffix(8).allSatisfy { $0 == 0xee }, "wrote behind the output")
      return isGood ? Array(output.prefix(count)) : nil
    }

    @Test func givesWhatWasCompressed() throws {
      let expected = try Fixtures.bytes("inflated.bin")
      let streams = try streams()
      #expect(streams.count == 5)
      for (index, stream) in streams.enumerated() {
        #expect(inflate(stream, count: expected.count) == expected, "stream \(index)")
      }
    }

    @Test func needsTheExactSize() throws {
      let expected = try Fixtures.bytes("inflated.bin")
      for stream in try streams() {
        #expect(inflate(stream, count: expected.count - 1) == nil)
        #expect(inflate(stream, count: expected.count + 1) == nil)
        #expect(inflate(stream, count: 0) == nil)
      }
    }

    @Test func refusesEveryTruncation() throws {
      let count = try Fixtures.bytes("inflated.bin").count
      for stream in try streams() {
        for length in 0..<stream.count {
          #expect(inflate(Array(stream[..<length]), count: count) == nil)
        }
      }
    }

    // Adler-32 is weak: some flips give other bytes with the same sum. The generating script asked
    // zlib which.
    @Test func takesAFlipOnlyWhereZlibDoes() throws {
      let expected = try Fixtures.bytes("inflated.bin")
      var taken: [String] = []
      for (index, stream) in try streams().enumerated() {
        for position in stream.indices {
          for mask: UInt8 in [1, 0x10, 0x80, 0xff] {
            var altered = stream
            altered[position] ^= mask
            if let result = inflate(altered, count: expected.count), result != expected {
              taken.append("\(index) \(position) \(mask)")
            }
          }
        }
      }
      let known = String(decoding: try Fixtures.bytes("zlib_takes.txt"), as: UTF8.self)
      #expect(!taken.isEmpty)
      #expect(taken == known.split(separator: "\n").map(String.init))
    }

    @Test func refusesNoise() {
      var numbers = SplitMix64(seed: 5)
      for _ in 0..<2000 {
        let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        #expect(inflate([0x78, 0x9c] + noise, count: 256) == nil)
      }
    }
  }
#endif
