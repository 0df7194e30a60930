import CForgeZlib
import Forge
import Foundation

/// The MNIST test digits: IDX files, plain or compressed with gzip.
struct MNIST {
  let pictures: [GrayPicture]
  let labels: [Int]

  /// Reads `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`, each with or without `.gz`.
  init(directory: URL) throws {
    let images = try Self.idx("t10k-images-idx3-ubyte", in: directory, magic: 0x803)
    let labels = try Self.idx("t10k-labels-idx1-ubyte", in: directory, magic: 0x801)
    guard images.sizes.count == 3, images.sizes[1] == 28, images.sizes[2] == 28,
      labels.sizes == [images.sizes[0]]
    else {
      throw FileProblem(
        description:
          "\(directory.path): \(images.sizes) images and \(labels.sizes) labels do not match")
    }
    pictures = (0..<images.sizes[0]).map { index in
      let start = images.bytes.startIndex + index * 28 * 28
      return GrayPicture(
        width: 28, height: 28, pixels: Array(images.bytes[start..<start + 28 * 28]))
    }
    self.labels = labels.bytes.map(Int.init)
  }

  /// The sizes and bytes of an IDX file of unsigned bytes.
  private static func idx(
    _ name: String, in directory: URL, magic: Int
  ) throws
    -> (sizes: [Int], bytes: Data.SubSequence)
  {
    let plain = directory.appendingPathComponent(name)
    let compressed = directory.appendingPathComponent(name + ".gz")
    let data: Data
    if FileManager.default.fileExists(atPath: plain.path) {
      data = try Data(contentsOf: plain)
    } else if FileManager.default.fileExists(atPath: compressed.path) {
      data = try inflated(compressed)
    } else {
      throw FileProblem(description: "\(plain.path): no such file, nor one that ends in .gz")
    }
    func number(at offset: Int) -> Int {
      data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let problem = FileProblem(
      description: "\(directory.path)/\(name): not the IDX file it should be")
    guard data.count >= 4, number(at: 0) == magic else { throw problem }
    let rank = magic & 0xFF
    guard data.count >= 4 + 4 * rank else { throw problem }
    let sizes = (0..<rank).map { number(at: 4 + 4 * $0) }
    guard let count = Shape.product(of: sizes), data.count == 4 + 4 * rank + count else {
      throw problem
    }
    return (sizes, data[(4 + 4 * rank)...])
  }

  /// The contents of a gzip file.
  private static func inflated(_ url: URL) throws -> Data {
    guard let file = gzopen(url.path, "rb") else {
      throw FileProblem(description: "\(url.path): cannot be opened")
    }
    defer { gzclose(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = gzread(file, &buffer, UInt32(buffer.count))
      guard count >= 0 else {
        throw FileProblem(description: "\(url.path): damaged gzip data")
      }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<Int(count)])
    }
  }
}
