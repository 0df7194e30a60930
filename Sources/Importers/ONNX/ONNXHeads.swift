import Forge

/// The queries, keys or values of attention in ONNX, as an image [rows][positions][heads ·
/// channels].
struct ONNXHeads {
  /// The image.
  let tensor: Tensor
  let rows, positions, heads, channels: Int
  /// The rows and the positions for each length of a sequence.
  let rowLengths, positionLengths: LengthSize
  /// The element type in the file.
  let type: ElementType
  /// Whether the number of positions varies.
  var varies: Bool { positionLengths.constant == nil }

  /// Reads a tensor of the file: [rows, heads, positions, channels], or [rows, positions, heads ·
  /// channels] with a stated number of heads.
  ///
  /// - Throws: ``NodeFailure`` for any other tensor.
  init(_ file: FileTensor, heads stated: Int?, _ what: String) throws {
    let sizes = file.sizes
    let lengths = try file.lengthSizes()
    func fixed(_ axis: Int) throws {
      guard lengths[axis].constant != nil else {
        throw NodeFailure.unsupported("\(what) whose heads or channels vary with the length")
      }
    }
    switch sizes.count {
    case 3:
      guard let stated else { throw NodeFailure.invalid("\(what) \(sizes) without heads") }
      guard stated > 0, sizes[2].isMultiple(of: stated) else {
        throw NodeFailure.invalid("\(stated) heads of \(what) \(sizes)")
      }
      try fixed(2)
      (rows, positions, heads, channels) = (sizes[0], sizes[1], stated, sizes[2] / stated)
      (rowLengths, positionLengths) = (lengths[0], lengths[1])
      tensor = file.tensor(as: [0, 1, 2])
    case 4:
      guard stated == nil || stated == sizes[1] else {
        throw NodeFailure.invalid("\(stated ?? 0) heads of \(what) \(sizes)")
      }
      for axis in [1, 3] { try fixed(axis) }
      (rows, heads, positions, channels) = (sizes[0], sizes[1], sizes[2], sizes[3])
      (rowLengths, positionLengths) = (lengths[0], lengths[2])
      tensor = try file.transposed([0, 2, 1, 3])
        .reshaped(to: [rowLengths, positionLengths, LengthSize(heads * channels)])
        .tensor(as: [0, 1, 2])
    default: throw NodeFailure.invalid("\(what) \(sizes)")
    }
    type = file.type
  }

  /// Heads that are computed already.
  ///
  /// - Throws: ``NodeFailure`` where the number of positions is too large.
  init(
    _ tensor: Tensor, like other: ONNXHeads, behind past: ONNXHeads? = nil, channels: Int? = nil
  ) throws {
    self.tensor = tensor
    (rows, heads) = (other.rows, other.heads)
    rowLengths = other.rowLengths
    positions = other.positions + (past?.positions ?? 0)
    guard
      let lengths = other.positionLengths.adding(past?.positionLengths ?? LengthSize(0))
    else { throw ONNXLengths.overflow }
    positionLengths = lengths
    self.channels = channels ?? other.channels
    type = other.type
  }

  /// As the file has it with three axes: [rows, positions, heads · channels].
  var joined: FileTensor {
    FileTensor(
      tensor, sizes: [rows, positions, heads * channels], layout: [0, 1, 2], type: type)
  }

  /// [rows, positions, heads, channels] for each length of a sequence.
  private var separateLengths: [LengthSize] {
    [rowLengths, positionLengths, LengthSize(heads), LengthSize(channels)]
  }

  /// As the file has it with four axes: [rows, heads, positions, channels].
  func separate() throws -> FileTensor {
    try joined.reshaped(to: separateLengths).transposed([0, 2, 1, 3])
  }
}
