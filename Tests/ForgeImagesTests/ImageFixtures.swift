import Forge
import ForgeImages
import Foundation
import Testing

/// What Fixtures/make_fixtures.py has written.
enum ImageFixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func load<Content: Decodable>(_ name: String) throws -> Content {
    try JSONDecoder().decode(
      Content.self, from: Data(contentsOf: folder.appending(path: "\(name).json")))
  }

  static func path(_ file: String) -> String { folder.appending(path: "pictures/\(file)").path }

  static func bytes(_ file: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: path(file))))
  }
}

/// pictures.json: every file of Fixtures/pictures and its pixels.
struct PictureFixtures: Decodable {
  let cases: [PictureFixture]

  static func all() throws -> [PictureFixture] {
    let fixtures: PictureFixtures = try ImageFixtures.load("pictures")
    return fixtures.cases
  }

  static func ending(in suffixes: String...) throws -> [PictureFixture] {
    try all().filter { testCase in suffixes.contains { testCase.file.hasSuffix(".\($0)") } }
  }
}

struct PictureFixture: Decodable, Sendable, CustomTestStringConvertible {
  let file: String
  let width: Int
  let height: Int
  let format: String
  let pixels: Data

  var testDescription: String { file }
}

/// resizing.json: pictures in other sizes, shapes and colors.
struct ResizingFixtures: Decodable {
  struct Source: Decodable {
    let width: Int
    let height: Int
    let format: String
    let pixels: Data
  }

  struct Resize: Decodable, Sendable, CustomTestStringConvertible {
    let source: String
    let width: Int
    let height: Int
    let filter: String
    let box: [Double]?
    let pixels: Data

    var testDescription: String {
      "\(source) to \(width)×\(height), \(filter)\(box.map { ", box \($0)" } ?? "")"
    }
  }

  struct Fit: Decodable, Sendable {
    let source: String
    let width: Int
    let height: Int
    let pixels: Data
  }

  struct Conversion: Decodable, Sendable {
    let source: String
    let to: String
    let background: [UInt8]
    let pixels: Data
  }

  let sources: [String: Source]
  let cases: [Resize]
  let fits: [Fit]
  let conversions: [Conversion]

  static let shared = Result { try ImageFixtures.load("resizing") as ResizingFixtures }

  static func image(_ name: String) throws -> Image {
    let source = try #require(try shared.get().sources[name])
    return try Image(
      width: source.width, height: source.height, format: try format(source.format),
      pixels: [UInt8](source.pixels))
  }

  static func format(_ name: String) throws -> PixelFormat {
    let formats: [String: PixelFormat] = ["gray": .gray, "rgb": .rgb, "rgba": .rgba]
    return try #require(formats[name])
  }
}

/// The largest difference of two pictures' bytes.
func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int {
  zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0
}

/// FNV-1a over bytes, as make_fixtures.py has it.
func checksum(_ bytes: [UInt8]) -> String {
  var value: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
