import CForgeKernels

/// What every float holds that no kernel may read or write: a NaN, so that a sum it gets into shows
/// it, with a pattern of its own, so that it is seen to be still there.
let canary: UInt32 = 0x7fc0_beef

/// Floats that kernels work on, full of canaries at first.
final class Buffer {
  let pointer: UnsafeMutablePointer<Float>
  let count: Int

  init(count: Int) {
    self.count = count
    pointer = .allocate(capacity: count)
    pointer.initialize(repeating: Float(bitPattern: canary), count: count)
  }

  convenience init(_ values: [Float]) {
    self.init(count: values.count)
    for (i, value) in values.enumerated() { pointer[i] = value }
  }

  deinit { pointer.deallocate() }

  var bits: [UInt32] {
    get { (0..<count).map { pointer[$0].bitPattern } }
    set { for (i, bits) in newValue.enumerated() { pointer[i] = Float(bitPattern: bits) } }
  }
}

/// An image in the plain layout: row-major height, width, channels.
struct Image {
  var height, width, channels: Int
  var values: [Float]

  init(_ height: Int, _ width: Int, _ channels: Int, values: [Float]) {
    precondition(values.count == height * width * channels)
    (self.height, self.width, self.channels) = (height, width, channels)
    self.values = values
  }

  init(_ height: Int, _ width: Int, _ channels: Int, random: inout SeededGenerator) {
    self.init(height, width, channels, values: random.values(height * width * channels))
  }

  subscript(y: Int, x: Int, c: Int) -> Float {
    get { values[(y * width + x) * channels + c] }
    set { values[(y * width + x) * channels + c] = newValue }
  }

  /// The number at a place that may be outside, where it is 0.
  func padded(_ y: Int, _ x: Int, _ c: Int) -> Double {
    y >= 0 && y < height && x >= 0 && x < width ? Double(self[y, x, c]) : 0
  }
}

/// Pixels around an image.
struct Halo {
  var top = 0
  var left = 0
  var bottom = 0
  var right = 0
}

/// A tensor in the blocked layout, one or several images of it, in memory of its own: at odd
/// addresses, with canaries before, behind and between rows, blocks and images.
final class Blocked {
  let buffer: Buffer
  let height, width, channels, images: Int
  let halo: Halo
  private let offset, rowStride, blockStride, imageStride: Int

  var blocks: Int { (channels + 15) / 16 }

  /// With canaries everywhere, but for a halo of zeros.
  init(_ height: Int, _ width: Int, _ channels: Int, halo: Halo = Halo(), images: Int = 1) {
    (self.height, self.width, self.channels) = (height, width, channels)
    (self.halo, self.images) = (halo, images)
    rowStride = (halo.left + width + halo.right + 1) * 16
    blockStride = (halo.top + height + halo.bottom) * rowStride + 48
    imageStride = (channels + 15) / 16 * blockStride + 16
    offset = 35 + halo.top * rowStride + halo.left * 16
    buffer = Buffer(count: 35 + imageStride * images + 64)
    for image in 0..<images {
      for block in 0..<blocks {
        for y in -halo.top..<height + halo.bottom {
          for x in -halo.left..<width + halo.right {
            guard y < 0 || y >= height || x < 0 || x >= width else { continue }
            for lane in 0..<16 { buffer.pointer[at(y, x, block * 16 + lane, image)] = 0 }
          }
        }
      }
    }
  }

  /// Holding an image, the last of `images`; its padded lanes are 0.
  convenience init(_ image: Image, halo: Halo = Halo(), images: Int = 1) {
    self.init(image.height, image.width, image.channels, halo: halo, images: images)
    for y in 0..<height {
      for x in 0..<width {
        for c in 0..<blocks * 16 {
          buffer.pointer[at(y, x, c, images - 1)] = c < channels ? image[y, x, c] : 0
        }
      }
    }
  }

  func at(_ y: Int, _ x: Int, _ c: Int, _ image: Int) -> Int {
    offset + image * imageStride + c / 16 * blockStride + y * rowStride + x * 16 + c % 16
  }

  func view(base: Int) -> forge_view {
    forge_view(
      base: Int32(base), height: Int32(height), width: Int32(width), channels: Int32(channels),
      offset: Int64(offset), image_stride: Int64(imageStride), block_stride: Int64(blockStride),
      row_stride: Int64(rowStride))
  }

  subscript(y: Int, x: Int, c: Int, image image: Int = 0) -> Float {
    buffer.pointer[at(y, x, c, image)]
  }
}

/// A plain image in memory of its own, in rows that are longer than they need be.
final class Plain {
  let buffer: Buffer
  let height, width, channels, images: Int
  private let offset = 19
  private let rowStride, imageStride: Int

  init(_ height: Int, _ width: Int, _ channels: Int, images: Int = 1) {
    (self.height, self.width, self.channels, self.images) = (height, width, channels, images)
    rowStride = width * channels + 7
    imageStride = height * rowStride + 5
    buffer = Buffer(count: offset + images * imageStride + 40)
  }

  /// Holding an image, the last of `images`.
  convenience init(_ image: Image, images: Int = 1) {
    self.init(image.height, image.width, image.channels, images: images)
    for y in 0..<height {
      for x in 0..<width {
        for c in 0..<channels { buffer.pointer[at(y, x, c, images - 1)] = image[y, x, c] }
      }
    }
  }

  func at(_ y: Int, _ x: Int, _ c: Int, _ image: Int) -> Int {
    offset + image * imageStride + y * rowStride + x * channels + c
  }

  func view(base: Int) -> forge_view {
    forge_view(
      base: Int32(base), height: Int32(height), width: Int32(width), channels: Int32(channels),
      offset: Int64(offset), image_stride: Int64(imageStride), block_stride: 0,
      row_stride: Int64(rowStride))
  }
}
