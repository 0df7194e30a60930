import CForgeSound
import ForgeAudio
import Foundation
import Testing

/// What Scripts/references/make_sound.py has written: numbers of librosa, torchaudio and SciPy.
enum SoundFixtures {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let kind: String
    let signal: String?
    var size: Int?
    var hop: Int?
    var length: Int?
    var window: String?
    var symmetric: Bool?
    var padding: String?
    var values: String?
    var rate: Int?
    var bands: Int?
    var low: Double?
    var high: Double?
    var mel: String?
    var norm: String?
    var scale: String?
    var count: Int?
    var lifter: Int?
    var old: Int?
    var new: Int?
    var width: Int?
    var rolloff: Double?

    var testDescription: String { "\(name) \(signal ?? "") \(size ?? 0)" }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func cases(_ kind: String) -> [Case] {
    do {
      let data = try Data(contentsOf: folder.appending(path: "cases.json"))
      return try JSONDecoder().decode([Case].self, from: data).filter { $0.kind == kind }
    } catch {
      Issue.record("\(error)")
      return []
    }
  }

  /// The arrays of sound.safetensors: a length, a header as JSON, then the numbers.
  private static let arrays: [String: [Float]] = {
    struct Entry: Decodable {
      let range: [Int]
      enum CodingKeys: String, CodingKey { case range = "data_offsets" }
    }
    guard let data = try? Data(contentsOf: folder.appending(path: "sound.safetensors")) else {
      return [:]
    }
    let length = data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    let header = data[8..<8 + length]
    let entries = (try? JSONDecoder().decode([String: Entry].self, from: header)) ?? [:]
    return entries.mapValues { entry in
      let (start, end) = (entry.range[0], entry.range[1])
      return data[(8 + length + start)..<(8 + length + end)].withUnsafeBytes { bytes in
        (0..<(end - start) / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
      }
    }
  }()

  static func array(_ name: String) throws -> [Float] { try #require(arrays[name]) }

  static func signal(_ name: String) throws -> [Float] { try array("signal.\(name)") }

  static func bytes(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: file)))
  }
}

/// The levels of this machine.
let levels: [forge_level] = [FORGE_SCALAR, FORGE_BASELINE, FORGE_AVX2, FORGE_AVX512]
  .filter { forge_sound_forms($0) != nil }

/// Expects numbers within `bound` of the largest one, and the same ones to be not finite.
func expectClose(
  _ values: [Float], _ expected: [Float], within bound: Float = 1e-5, scale least: Float = 0,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  guard values.count == expected.count else {
    Issue.record("\(values.count) values, not \(expected.count)", sourceLocation: sourceLocation)
    return
  }
  let scale = expected.filter(\.isFinite).reduce(least) { max($0, abs($1)) }
  for (index, (value, wanted)) in zip(values, expected).enumerated() {
    let isRight =
      wanted.isFinite ? value.isFinite && abs(value - wanted) <= bound * scale : !value.isFinite
    if !isRight {
      Issue.record(
        "value \(index) is \(value), not \(wanted), of numbers up to \(scale)",
        sourceLocation: sourceLocation)
      return
    }
  }
}

/// Expects the same bits; a NaN is like any other.
func expectSameBits(
  _ values: [Float], _ expected: [Float], sourceLocation: SourceLocation = #_sourceLocation
) {
  let equal =
    values.count == expected.count
    && zip(values, expected).allSatisfy { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN }
  #expect(equal, sourceLocation: sourceLocation)
}
