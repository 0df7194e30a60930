/// The orientation in EXIF tag 274: where row 0 and column 0 of the file are in the picture.
enum ExifOrientation: Int {
  case upright = 1
  case mirrored = 2
  case upsideDown = 3
  case mirroredUpsideDown = 4
  case transposed = 5
  case turnedLeft = 6
  case transverse = 7
  case turnedRight = 8

  /// The orientation that a JPEG file states; upright if it states none or an invalid one.
  static func read(jpeg bytes: UnsafeRawBufferPointer) -> ExifOrientation {
    guard let block = exifBlock(bytes) else { return .upright }
    return read(exif: block)
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

  /// The orientation in the first directory of a TIFF block.
  private static func read(exif block: Slice<UnsafeRawBufferPointer>) -> ExifOrientation {
    let isLittle: Bool
    switch (block.first, block.dropFirst().first) {
    case (0x49, 0x49): isLittle = true
    case (0x4D, 0x4D): isLittle = false
    default: return .upright
    }
    // Checks that all reads stay inside the block.
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= block.count - count else { return nil }
      let digits = block.dropFirst(offset).prefix(count)
      return (isLittle ? Array(digits.reversed()) : Array(digits))
        .reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(at: 2, bytes: 2) == 42, let directory = number(at: 4, bytes: 4),
      let count = number(at: directory, bytes: 2)
    else { return .upright }
    for entry in (0..<count).lazy.map({ directory + 2 + 12 * $0 }) {
      guard let tag = number(at: entry, bytes: 2) else { break }
      guard tag == 0x0112 else { continue }
      // One value: a byte, a short (as in the standard) or a long.
      let sizes = [1: 1, 3: 2, 4: 4]
      guard let type = number(at: entry + 2, bytes: 2), let size = sizes[type],
        number(at: entry + 4, bytes: 4) == 1, let value = number(at: entry + 8, bytes: size)
      else { break }
      return ExifOrientation(rawValue: value) ?? .upright
    }
    return .upright
  }

  /// Whether width and height are exchanged.
  var swapsSides: Bool { rawValue >= 5 }

  /// Whether the file's columns run backwards along their side of the picture.
  var reversesColumns: Bool {
    switch self {
    case .mirrored, .upsideDown, .transverse, .turnedRight: true
    case .upright, .mirroredUpsideDown, .transposed, .turnedLeft: false
    }
  }

  /// Whether the file's rows run backwards along their side of the picture.
  var reversesRows: Bool {
    switch self {
    case .upsideDown, .mirroredUpsideDown, .turnedLeft, .transverse: true
    case .upright, .mirrored, .transposed, .turnedRight: false
    }
  }
}
