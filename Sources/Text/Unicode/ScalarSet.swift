/// A set of Unicode scalars: a bitmap of the first four planes, and ranges above them.
struct ScalarSet: Sendable {
  private var words: [UInt64]
  private var tail: [Range<UInt32>]
  private static let planes: UInt32 = 0x40000

  /// An empty set.
  init() {
    words = [UInt64](repeating: 0, count: Int(Self.planes) / 64)
    tail = []
  }

  /// The set of a table: the lengths of runs outside and inside, in turns.
  init(runs text: StaticString) {
    self.init()
    var (position, isInside) = (UInt32(0), false)
    ScalarTable.forEachNumber(text) { length in
      if isInside { insert(position..<position + length) }
      position += length
      isInside.toggle()
    }
  }

  /// Adds a range.
  mutating func insert(_ range: Range<UInt32>) {
    for value in range.lowerBound..<max(range.lowerBound, min(range.upperBound, Self.planes)) {
      words[Int(value >> 6)] |= 1 << UInt64(value & 63)
    }
    let lower = max(range.lowerBound, Self.planes)
    if lower < range.upperBound { tail.append(lower..<range.upperBound) }
  }

  /// Adds the scalars of another set.
  mutating func formUnion(_ other: ScalarSet) {
    for index in words.indices { words[index] |= other.words[index] }
    tail += other.tail
  }

  /// Keeps the scalars that are in another set too.
  mutating func formIntersection(_ other: ScalarSet) {
    var complement = inverted()
    complement.formUnion(other.inverted())
    self = complement.inverted()
  }

  /// The scalars that are not in the set.
  func inverted() -> ScalarSet {
    var result = ScalarSet()
    for index in words.indices { result.words[index] = ~words[index] }
    var next = Self.planes
    for range in tail.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if next < range.lowerBound { result.tail.append(next..<range.lowerBound) }
      next = max(next, range.upperBound)
    }
    if next < 0x110000 { result.tail.append(next..<0x110000) }
    return result
  }

  /// Whether a scalar is in the set.
  @inline(__always)
  func contains(_ value: UInt32) -> Bool {
    if value < Self.planes {
      return words.withUnsafeBufferPointer { $0[Int(value >> 6)] >> UInt64(value & 63) & 1 != 0 }
    }
    return tail.contains { $0.contains(value) }
  }

  /// The members among the first 128 scalars.
  var ascii: (low: UInt64, high: UInt64) { (words[0], words[1]) }

  // MARK: The sets of Hugging Face's library

  static let marks = ScalarSet(runs: ScalarSets.marks)
  static let nonspacingMarks = ScalarSet(runs: ScalarSets.nonspacingMarks)
  static let controls = ScalarSet(runs: ScalarSets.controls)
  static let punctuation = ScalarSet(runs: ScalarSets.punctuation)
  static let numeric = ScalarSet(runs: ScalarSets.numeric)
  static let whitespace = ScalarSet(runs: ScalarSets.whitespace)
  static let words = ScalarSet(runs: ScalarSets.words)
}

/// Readers of the texts of generated tables.
enum ScalarTable {
  /// Calls a closure with each hexadecimal number of a text of numbers.
  static func forEachNumber(_ text: StaticString, _ body: (UInt32) -> Void) {
    var (value, hasDigits) = (UInt32(0), false)
    for index in 0..<text.utf8CodeUnitCount {
      if let digit = digit(text.utf8Start[index]) {
        value = value << 4 | digit
        hasDigits = true
      } else if hasDigits {
        body(value)
        (value, hasDigits) = (0, false)
      }
    }
    if hasDigits { body(value) }
  }

  /// Calls a closure with the numbers of each entry: entries are separated by spaces.
  static func forEachEntry(_ text: StaticString, _ body: ([UInt32]) -> Void) {
    var numbers: [UInt32] = []
    var (value, hasDigits) = (UInt32(0), false)
    func end() {
      if hasDigits { numbers.append(value) }
      (value, hasDigits) = (0, false)
    }
    for index in 0..<text.utf8CodeUnitCount {
      let byte = text.utf8Start[index]
      if let digit = digit(byte) {
        value = value << 4 | digit
        hasDigits = true
      } else {
        end()
        if byte == UInt8(ascii: " ") {
          if !numbers.isEmpty { body(numbers) }
          numbers.removeAll(keepingCapacity: true)
        }
      }
    }
    end()
    if !numbers.isEmpty { body(numbers) }
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x61...0x66: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }
}

/// A small number for each scalar, 0 for most: pages of 128 scalars, of which equal ones are empty.
struct ScalarMap: Sendable {
  private var pages: [UInt16]
  private var values: [UInt16]

  /// A map without entries.
  init() {
    pages = [UInt16](repeating: 0, count: 0x110000 >> 7)
    values = [UInt16](repeating: 0, count: 128)
  }

  subscript(scalar: UInt32) -> UInt16 {
    @inline(__always) get {
      pages.withUnsafeBufferPointer { pages in
        values.withUnsafeBufferPointer { values in
          values[Int(pages[Int(scalar >> 7)]) << 7 | Int(scalar & 127)]
        }
      }
    }
    set {
      let page = Int(scalar >> 7)
      if pages[page] == 0 {
        pages[page] = UInt16(values.count >> 7)
        values += [UInt16](repeating: 0, count: 128)
      }
      values[Int(pages[page]) << 7 | Int(scalar & 127)] = newValue
    }
  }
}
