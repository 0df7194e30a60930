import ForgeImages
import Foundation
import Testing

/// What Scripts/references/make_pictures.py has written: pixels as Pillow and OpenCV make them.
struct ReferenceFixtures: Decodable {
  struct Resizes: Decodable {
    struct Case: Decodable {
      let filter: String
      let width: Int
      let height: Int
      let pixels: Data
    }

    let width: Int
    let height: Int
    let format: String
    let pixels: Data
    let cases: [Case]
  }

  struct Floats: Decodable {
    struct Case: Decodable {
      let filter: String
      let width: Int
      let height: Int
      let values: Data
    }

    let width: Int
    let height: Int
    let values: Data
    let cases: [Case]
  }

  struct Frame: Decodable {
    let format: String
    let width: Int
    let height: Int
    let bytes: Data
    let rgb: Data
  }

  struct Formula: Decodable {
    let matrix: String
    let isFull: Bool
    let rgb: Data
  }

  struct Letterbox: Decodable {
    let width: Int
    let height: Int
    let pixels: Data
    let toWidth: Int
    let toHeight: Int
    let result: Data
  }

  struct Torchvision: Decodable {
    let width: Int
    let height: Int
    let pixels: Data
    let side: Int
    let size: Int
    let values: Data
  }

  struct Photo: Decodable {
    let file: String
    let checksum: String
    let resized: [String: Data]
    let letterbox: Data
  }

  let resizes: [Resizes]
  let floats: Floats
  let frames: [Frame]
  let formulas: [Formula]
  let letterboxes: [Letterbox]
  let torchvision: [Torchvision]
  let photos: [Photo]

  static let shared = Result { try ImageFixtures.load("references") as ReferenceFixtures }

  static let filters: [String: ResamplingFilter] = [
    "bilinear": .bilinear, "bicubic": .bicubic, "lanczos": .lanczos, "area": .area,
    "bilinearAliased": .bilinearAliased,
  ]

  static let frameFormats: [String: FrameFormat] = [
    "i420": .i420, "nv12": .nv12, "nv21": .nv21, "yuyv": .yuyv,
  ]
}

/// The Float32 numbers of bytes.
func floats(_ data: Data) -> [Float] {
  data.withUnsafeBytes { bytes in
    (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
  }
}

/// The bytes of Float32 numbers.
func bytes(of floats: [Float]) -> [UInt8] { floats.withUnsafeBytes { Array($0) } }
