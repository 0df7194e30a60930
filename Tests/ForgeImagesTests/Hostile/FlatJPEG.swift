/// A JPEG file of a picture without any contents, written scan by scan.
///
/// All coefficients are 0, so that the file is as small as its form allows.
struct FlatJPEG {
  /// What a scan of a progressive file brings: of these components, the coefficients `band`, whose
  /// bits down to `low` are complete afterwards; `high` is the `low` of the scan before, 0 at first.
  struct Scan {
    var components: [Int]
    var band: ClosedRange<Int> = 0...0
    var high = 0
    var low = 0
  }

  /// The codes of a file.
  enum Coding: UInt8 {
    case sequential = 0xC0
    case progressive = 0xC2
    case arithmetic = 0xC9
  }

  /// Pixels in a row, a multiple of 8.
  var width: Int
  /// Rows, a multiple of 8.
  var height: Int
  var components = 1
  var coding = Coding.sequential
  /// The EXIF orientation, 1 to 8.
  var orientation: Int?
  var scans: [Scan]

  /// One scan of all components.
  init(width: Int, height: Int, components: Int = 1, coding: Coding = .sequential) {
    (self.width, self.height) = (width, height)
    (self.components, self.coding) = (components, coding)
    scans = [Scan(components: Array(0..<components), band: 0...63)]
  }

  /// The scans that libjpeg's own progression has for pictures that are not YCbCr.
  static func usualScans(components: Int) -> [Scan] {
    let all = Array(0..<components)
    func each(_ band: ClosedRange<Int>, _ high: Int, _ low: Int) -> [Scan] {
      all.map { Scan(components: [$0], band: band, high: high, low: low) }
    }
    return [Scan(components: all, low: 1)] + each(1...5, 0, 2) + each(6...63, 0, 2)
      + each(1...63, 2, 1) + [Scan(components: all, high: 1)] + each(1...63, 1, 0)
  }

  /// The file.
  var bytes: [UInt8] {
    var file: [UInt8] = [0xFF, 0xD8]
    if let orientation {
      var block = Array("Exif\0\0MM\0*".utf8)
      block += [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation)]
      file += segment(0xE1, block + [0, 0, 0, 0, 0, 0])
    }
    file += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    file += segment(coding.rawValue, frame)
    // Differences of 0 take one bit. Runs of blocks without coefficients: the exponents 0 to 14,
    // four bits each.
    file += segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
    var runs: [UInt8] = [0x10, 0, 0, 0, 15] + [UInt8](repeating: 0, count: 12)
    for exponent: UInt8 in 0..<15 { runs.append(exponent << 4) }
    file += segment(0xC4, runs)
    for scan in scans { file += bytes(of: scan) }
    return file + [0xFF, 0xD9]
  }

  /// The bytes of one scan, to be put before the end marker.
  func bytes(of scan: Scan) -> [UInt8] {
    var head = [UInt8(scan.components.count)]
    for component in scan.components { head += [UInt8(component + 1), 0] }
    head += [UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound)]
    head.append(UInt8(scan.high << 4 | scan.low))
    return segment(0xDA, head) + data(of: scan)
  }

  private var frame: [UInt8] {
    var frame: [UInt8] = [8] + bigEndian(height) + bigEndian(width) + [UInt8(components)]
    for component in 0..<components { frame += [UInt8(component + 1), 0x11, 0] }
    return frame
  }

  private func data(of scan: Scan) -> [UInt8] {
    let blocks = width / 8 * (height / 8) * scan.components.count
    var bits = Bits()
    switch coding {
    // What follows the end of arithmetic codes counts as zeros.
    case .arithmetic: return Array(repeating: 0, count: 32)
    // A difference of 0, and no other coefficients: code 0000.
    case .sequential: bits.appendZeros(5 * blocks)
    case .progressive where scan.band.lowerBound == 0: bits.appendZeros(blocks)
    case .progressive:
      var left = blocks
      while left > 0 {
        let exponent = min(14, Int.bitWidth - 1 - left.leadingZeroBitCount)
        let run = min(left, (2 << exponent) - 1)
        bits.append(exponent, count: 4)
        bits.append(run - (1 << exponent), count: exponent)
        left -= run
      }
    }
    return bits.stuffed
  }

  private func segment(_ marker: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [0xFF, marker] + bigEndian(contents.count + 2) + contents
  }

  private func bigEndian(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  /// Bits, the highest of a byte first.
  private struct Bits {
    private var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ value: Int, count: Int) {
      for shift in (0..<count).reversed() {
        if self.count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - self.count % 8)
        self.count += 1
      }
    }

    mutating func appendZeros(_ count: Int) {
      append(0, count: (8 - self.count % 8) % 8)
      bytes += Array(repeating: 0, count: count / 8)
      self.count += count / 8 * 8
      append(0, count: count % 8)
    }

    /// The bytes with the rest of the last filled, and a zero after each that could begin a marker.
    var stuffed: [UInt8] {
      var copy = self
      while copy.count % 8 != 0 { copy.append(1, count: 1) }
      return copy.bytes.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }
  }
}
