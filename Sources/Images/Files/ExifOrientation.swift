/// The orientation in EXIF tag 274: the position of the file's row 0 and column 0 in the picture.
struct ExifOrientation {
  /// The orientation that leaves the picture unchanged.
  static let upright = ExifOrientation(number: 1)

  /// Whether width and height are exchanged.
  let swapsSides: Bool
  /// Whether the file's columns run backwards along their side of the picture.
  let reversesColumns: Bool
  /// Whether the file's rows run backwards along their side of the picture.
  let reversesRows: Bool

  /// Creates an orientation from a number from 1 to 8; upright for any other.
  private init(number: Int) {
    swapsSides = (5...8).contains(number)
    reversesColumns = [2, 3, 7, 8].contains(number)
    reversesRows = [3, 4, 6, 7].contains(number)
  }

  /// Reads the orientation of a JPEG file; upright if missing or invalid.
  init(jpeg bytes: UnsafeRawBufferPointer) {
    self.init(number: Self.exifBlock(bytes).flatMap(Self.number) ?? 1)
  }

  /// The TIFF block of the first EXIF segment before the picture.
  private static func exifBlock(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
    let signature = Array("Exif\0\0".utf8)
    var position = 2
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      switch marker {
      case 0xFF:  // padding
        position += 1
      case 0x01, 0xD0...0xD8:  // markers without a segment
        position += 2
      case 0xD9, 0xDA:  // the end, and the picture
        return nil
      default:
        let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
        let end = position + 2 + length
        guard length >= 2, end <= bytes.count else { return nil }
        let segment = bytes[position + 4..<end]
        if marker == 0xE1, segment.starts(with: signature) {
          return segment.dropFirst(signature.count)
        }
        position = end
      }
    }
    return nil
  }

  /// The number of the orientation in the first directory of a TIFF block.
  private static func number(inExif block: Slice<UnsafeRawBufferPointer>) -> Int? {
    let isLittle: Bool
    switch (block.first, block.dropFirst().first) {
    case (0x49, 0x49): isLittle = true
    case (0x4D, 0x4D): isLittle = false
    default: return nil
    }
    // Checks that all reads stay inside the block.
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= block.count - count else { return nil }
      let digits = block.dropFirst(offset).prefix(count)
      return (isLittle ? Array(digits.reversed()) : Array(digits))
        .reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(at: 2, bytes: 2) == 42, let directory = number(at: 4, bytes: 4),
      let count = number(at: directory, bytes: 2),
      let entry = (0..<count).lazy.map({ directory + 2 + 12 * $0 })
        .first(where: { number(at: $0, bytes: 2) == 0x0112 }),
      // A single value: a byte, a short (as in the standard) or a long.
      let type = number(at: entry + 2, bytes: 2), let size = [1: 1, 3: 2, 4: 4][type],
      number(at: entry + 4, bytes: 4) == 1
    else { return nil }
    return number(at: entry + 8, bytes: size)
  }
}
