import ForgeLoaders
import ForgeShapes

/// Some rows of a matrix, or numbers of a vector, in a file.
struct RowsOfData: ParameterData {
  private let base: any ParameterData
  private let rows: TensorPlace.Rows
  private let channels: Int
  let count: Int
  let sizes: [Int]?

  var elementType: ElementType { base.elementType }
  var layout: ParameterLayout { base.layout }
  var origin: String { base.origin }
  var temporaryByteCount: Int {
    base.temporaryByteCount + count.multipliedSaturated(by: elementType.byteCount)
  }

  /// Chooses rows.
  ///
  /// - Throws: `LoadError` of kind `wrongShape` for a tensor without such rows.
  init(_ base: any ParameterData, rows: TensorPlace.Rows) throws(LoadError) {
    guard let sizes = base.sizes, (1...2).contains(sizes.count), !sizes.contains(0) else {
      throw LoadError(
        .wrongShape, "the tensor is neither a matrix nor a vector", path: base.origin,
        received: base.sizes.map { "\($0)" })
    }
    let number: Int
    let least: Int
    switch rows {
    case .all: (number, least) = (sizes[0], 0)
    case .range(let range): (number, least) = (range.count, range.upperBound - 1)
    case .chosen(let list): (number, least) = (list.count, list.max() ?? 0)
    case .row(let index): (number, least) = (1, index)
    }
    guard number > 0, least < sizes[0] else {
      throw LoadError(
        .wrongShape, "the tensor has too few rows", path: base.origin, received: "\(sizes[0])",
        needs: "more than \(least)")
    }
    self.base = base
    self.rows = rows
    channels = sizes.count == 2 ? sizes[1] : 1
    count = number.multipliedSaturated(by: channels)
    if case .row = rows {
      self.sizes = Array(sizes.dropFirst())
    } else {
      self.sizes = [number] + sizes.dropFirst()
    }
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let row = channels.multipliedSaturated(by: elementType.byteCount)
    try base.withUnsafeBytes { bytes in
      switch rows {
      case .all: try body(bytes)
      case .range(let range): try body(part(range, of: bytes, row: row))
      case .row(let index): try body(part(index..<index + 1, of: bytes, row: row))
      case .chosen(let list):
        var copy: [UInt8] = []
        copy.reserveCapacity(list.count.multipliedSaturated(by: row))
        for index in list {
          let start = index.multipliedSaturated(by: row)
          guard index >= 0, start.addingSaturated(row) <= bytes.count else { throw shrunk }
          copy.append(contentsOf: bytes[start..<start + row])
        }
        try copy.withUnsafeBytes(body)
      }
    }
  }

  /// The bytes of rows of `row` bytes.
  private func part(
    _ rows: Range<Int>, of bytes: UnsafeRawBufferPointer, row: Int
  ) throws(LoadError) -> UnsafeRawBufferPointer {
    let start = rows.lowerBound.multipliedSaturated(by: row)
    let end = rows.upperBound.multipliedSaturated(by: row)
    guard end <= bytes.count else { throw shrunk }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  private var shrunk: LoadError {
    LoadError(.damaged, "the tensor shrank while it was read", path: origin)
  }
}
