/// What each scalar becomes: one scalar or several, for few of all scalars.
struct ScalarMapping: Sendable {
  private var index = ScalarMap()
  private var starts: [UInt32] = [0, 0]
  private var scalars: [UInt32] = []

  /// The mapping of tables, of which later entries replace earlier ones.
  init(_ tables: StaticString...) {
    for table in tables {
      ScalarTable.forEachEntry(table) { numbers in
        index[numbers[0]] = UInt16(starts.count - 1)
        scalars += numbers.dropFirst()
        starts.append(UInt32(scalars.count))
      }
    }
  }

  /// Calls a closure with what a scalar becomes; returns false for a scalar that stays.
  @inline(__always)
  func forEach(_ scalar: UInt32, _ body: (UInt32) -> Void) -> Bool {
    let entry = Int(index[scalar])
    guard entry != 0 else { return false }
    for index in Int(starts[entry])..<Int(starts[entry + 1]) { body(scalars[index]) }
    return true
  }

  /// Whether a scalar stays as it is.
  @inline(__always)
  func keeps(_ scalar: UInt32) -> Bool { index[scalar] == 0 }

  static let lowercase = ScalarMapping(ScalarMappings.lowercase)
  static let canonical = ScalarMapping(ScalarMappings.canonical)
  static let compatible = ScalarMapping(ScalarMappings.canonical, ScalarMappings.compatible)
}

/// A scalar of a changed text, and what happened: 0 for one that replaces a scalar, 1 for one that
/// is new, −n for one that replaces a scalar before n others that are gone.
struct ScalarChange: Sendable {
  var scalar: UInt32
  var change: Int32

  @inline(__always)
  init(_ scalar: UInt32, _ change: Int32) { (self.scalar, self.change) = (scalar, change) }
}

/// The normalization forms of Unicode, with the changes that alignments need.
///
/// Source: Unicode Standard Annex #15; the changes are those of Hugging Face's library.
enum NormalizationForm: String, Sendable {
  case nfc = "NFC"
  case nfd = "NFD"
  case nfkc = "NFKC"
  case nfkd = "NFKD"

  private static let classes: ScalarMap = {
    var map = ScalarMap()
    ScalarTable.forEachEntry(ScalarMappings.classes) { numbers in
      for scalar in numbers[0]...numbers[1] { map[scalar] = UInt16(numbers[2]) }
    }
    return map
  }()

  private static let pairs: [UInt64: UInt32] = {
    var table: [UInt64: UInt32] = [:]
    ScalarTable.forEachEntry(ScalarMappings.compositions) { numbers in
      table[UInt64(numbers[0]) << 32 | UInt64(numbers[1])] = numbers[2]
    }
    return table
  }()

  private var isComposed: Bool { self == .nfc || self == .nfkc }
  private var mapping: ScalarMapping {
    self == .nfc || self == .nfd ? .canonical : .compatible
  }

  /// The scalars below this stay as they are in any surroundings.
  private var firstChanged: UInt32 {
    switch self {
    case .nfc: 0x300
    case .nfd: 0xC0
    case .nfkc, .nfkd: 0xA0
    }
  }

  /// The changes that bring a text into the form; `nil` for a text that is in it for sure.
  func changes(of text: UnsafeBufferPointer<UInt8>) -> [ScalarChange]? {
    guard !UTF8Bytes.isASCII(text) else { return nil }
    let first = firstChanged
    var position = 0
    while position < text.count {
      let (scalar, width) = UTF8Bytes.scalar(text, position)
      if scalar >= first { break }
      position += width
    }
    guard position < text.count else { return nil }
    let decomposed = decompose(text)
    return isComposed ? Self.compose(decomposed) : decomposed
  }

  private func decompose(_ text: UnsafeBufferPointer<UInt8>) -> [ScalarChange] {
    let mapping = mapping
    let classes = Self.classes
    var list: [ScalarChange] = []
    list.reserveCapacity(text.count)
    // The first scalar that may still move: marks sort by class after a scalar of class 0.
    var pending = 0
    var isSorted = true
    func push(_ scalar: UInt32, _ change: Int32) {
      if scalar < 0x300 || classes[scalar] == 0 {
        if !isSorted { Self.sort(&list, from: pending, classes) }
        isSorted = true
        list.append(ScalarChange(scalar, change))
        pending = list.count
      } else {
        if pending < list.count { isSorted = false }
        list.append(ScalarChange(scalar, change))
      }
    }
    var position = 0
    while position < text.count {
      let (scalar, width) = UTF8Bytes.scalar(text, position)
      position += width
      if scalar < 0x80 {
        push(scalar, 0)
      } else if 0xAC00..<0xAC00 + 11172 ~= scalar {
        let index = scalar - 0xAC00
        push(0x1100 + index / 588, 0)
        push(0x1161 + index % 588 / 28, 1)
        if index % 28 != 0 { push(0x11A7 + index % 28, 1) }
      } else {
        var change: Int32 = 0
        let isMapped = mapping.forEach(scalar) {
          push($0, change)
          change = 1
        }
        if !isMapped { push(scalar, 0) }
      }
    }
    if !isSorted { Self.sort(&list, from: pending, classes) }
    return list
  }

  /// Sorts marks by class; those of one class keep their order.
  private static func sort(_ list: inout [ScalarChange], from first: Int, _ classes: ScalarMap) {
    let sorted = list[first...].enumerated().sorted {
      let (a, b) = (classes[$0.element.scalar], classes[$1.element.scalar])
      return a == b ? $0.offset < $1.offset : a < b
    }
    list.replaceSubrange(first..., with: sorted.map(\.element))
  }

  private static func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if 0x1100..<0x1113 ~= first, 0x1161..<0x1176 ~= second {
      return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28
    }
    if 0xAC00..<0xAC00 + 11172 ~= first, (first - 0xAC00) % 28 == 0, 0x11A8..<0x11C3 ~= second {
      return first + (second - 0x11A7)
    }
    if second < 0x300 { return nil }
    return pairs[UInt64(first) << 32 | UInt64(second)]
  }

  private static func compose(_ list: [ScalarChange]) -> [ScalarChange] {
    let classes = classes
    var result: [ScalarChange] = []
    result.reserveCapacity(list.count)
    // The scalar that others may join, marks that follow it and did not, and their last class.
    var open: ScalarChange?
    var marks: [ScalarChange] = []
    var lastClass: UInt16?
    for next in list {
      let nextClass = next.scalar < 0x300 ? 0 : classes[next.scalar]
      guard let starter = open else {
        if nextClass != 0 { result.append(next) } else { open = next }
        continue
      }
      if let last = lastClass, last >= nextClass {
        if nextClass == 0 {
          result.append(starter)
          result += marks
          marks.removeAll(keepingCapacity: true)
          open = next
          lastClass = nil
        } else {
          marks.append(next)
          lastClass = nextClass
        }
      } else if let composite = composite(starter.scalar, next.scalar) {
        open = ScalarChange(composite, starter.change + next.change - 1)
      } else if nextClass == 0, lastClass == nil {
        result.append(starter)
        open = next
      } else {
        marks.append(next)
        lastClass = nextClass
      }
    }
    if let open { result.append(open) }
    return result + marks
  }
}
