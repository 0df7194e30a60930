import Forge

/// The queries, keys or values of attention in ONNX, as an image [rows][positions][heads ·
/// channels].
struct ONNXHeads {
  /// The image.
  let tensor: Tensor
  let rows, positions, heads, channels: Int
  /// The element type in the file.
  let type: ElementType

  /// Reads a tensor of the file: [rows, heads, positions, channels], or [rows, positions, heads ·
  /// channels] with a stated number of heads.
  ///
  /// - Throws: ``NodeFailure`` for any other tensor.
  init(_ file: FileTensor, heads stated: Int?, _ what: String) throws {
    let sizes = file.sizes
    switch sizes.count {
    case 3:
      guard let stated else { throw NodeFailure.invalid("\(what) \(sizes) without heads") }
      guard stated > 0, sizes[2].isMultiple(of: stated) else {
        throw NodeFailure.invalid("\(stated) heads of \(what) \(sizes)")
      }
      (rows, positions, heads, channels) = (sizes[0], sizes[1], stated, sizes[2] / stated)
      tensor = file.tensor(as: [0, 1, 2])
    case 4:
      guard stated == nil || stated == sizes[1] else {
        throw NodeFailure.invalid("\(stated ?? 0) heads of \(what) \(sizes)")
      }
      (rows, heads, positions, channels) = (sizes[0], sizes[1], sizes[2], sizes[3])
      tensor = try file.transposed([0, 2, 1, 3])
        .reshaped(to: [rows, positions, heads * channels]).tensor(as: [0, 1, 2])
    default: throw NodeFailure.invalid("\(what) \(sizes)")
    }
    type = file.type
  }

  /// Heads that are computed already.
  init(_ tensor: Tensor, like other: ONNXHeads, positions: Int? = nil, channels: Int? = nil) {
    self.tensor = tensor
    rows = other.rows
    self.positions = positions ?? other.positions
    heads = other.heads
    self.channels = channels ?? other.channels
    type = other.type
  }

  /// As the file has it with three axes: [rows, positions, heads · channels].
  var joined: FileTensor {
    FileTensor(
      tensor, sizes: [rows, positions, heads * channels], layout: [0, 1, 2], type: type)
  }

  /// As the file has it with four axes: [rows, heads, positions, channels].
  func separate() throws -> FileTensor {
    try joined.reshaped(to: [rows, positions, heads, channels]).transposed([0, 2, 1, 3])
  }
}
