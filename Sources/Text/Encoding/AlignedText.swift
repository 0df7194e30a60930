/// A text that changes, and for each of its bytes the part of the original text that it stands
/// for.
///
/// While nothing has changed there are no alignments: each byte stands for the scalar that it
/// belongs to.
struct AlignedText {
  /// The text, which is valid UTF-8.
  var bytes: [UInt8]
  /// The first original byte that each byte stands for.
  private(set) var starts: [Int32] = []
  /// The end of the original bytes that each byte stands for.
  private(set) var ends: [Int32] = []
  /// Whether the bytes are the original ones.
  private(set) var isOriginal = true
  /// The place of the first byte in the original text.
  let base: Int32

  /// The most bytes of a text: any one change makes at most 18 times as many of them.
  static let maximumCount = 1 << 26

  /// Throws if a text would have more bytes than any may have.
  ///
  /// - Throws: ``TokenizerError`` of kind `invalidText`.
  static func check(count: Int) throws(TokenizerError) {
    guard count <= maximumCount else {
      throw TokenizerError(
        .invalidText, "the text becomes too long", received: "\(count) bytes",
        needs: "at most \(maximumCount)")
    }
  }

  /// A text that nothing has changed.
  init(_ bytes: [UInt8], base: Int = 0) {
    self.bytes = bytes
    self.base = Int32(base)
  }

  /// An empty text to which parts with alignments are appended.
  init(capacity: Int) {
    bytes = []
    base = 0
    isOriginal = false
    bytes.reserveCapacity(capacity)
    starts.reserveCapacity(capacity)
    ends.reserveCapacity(capacity)
  }

  /// The number of bytes.
  var count: Int { bytes.count }

  // MARK: Alignment

  /// The original bytes that a range that is not empty stands for.
  @inline(__always)
  func original(_ lower: Int, _ upper: Int) -> (lower: Int32, upper: Int32) {
    guard isOriginal else { return (starts[lower], ends[upper - 1]) }
    var (first, last) = (lower, upper)
    while first > 0, UTF8Bytes.isContinuation(bytes[first]) { first -= 1 }
    while last < bytes.count, UTF8Bytes.isContinuation(bytes[last]) { last += 1 }
    return (base + Int32(first), base + Int32(last))
  }

  /// Writes the alignments down, so that they can change.
  mutating func align() {
    guard isOriginal else { return }
    isOriginal = false
    starts.reserveCapacity(bytes.count)
    ends.reserveCapacity(bytes.count)
    bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let width = UTF8Bytes.width(bytes[position])
        let start = base + Int32(position)
        for _ in 0..<width {
          starts.append(start)
          ends.append(start + Int32(width))
        }
        position += width
      }
    }
  }

  /// Appends part of a text with its alignments.
  mutating func append(_ other: AlignedText, _ range: Range<Int>) {
    bytes += other.bytes[range]
    if other.isOriginal {
      var position = range.lowerBound
      other.bytes.withUnsafeBufferPointer { bytes in
        while position < range.upperBound {
          let width = UTF8Bytes.width(bytes[position])
          let start = other.base + Int32(position)
          for _ in 0..<width {
            starts.append(start)
            ends.append(start + Int32(width))
          }
          position += width
        }
      }
    } else {
      starts += other.starts[range]
      ends += other.ends[range]
    }
  }

  /// Appends bytes that all stand for one part of the original text.
  mutating func append(_ bytes: some Collection<UInt8>, for original: (lower: Int32, upper: Int32))
  {
    self.bytes += bytes
    starts += repeatElement(original.lower, count: bytes.count)
    ends += repeatElement(original.upper, count: bytes.count)
  }

  /// The text of a part.
  func slice(_ range: Range<Int>) -> AlignedText {
    guard isOriginal else {
      var part = AlignedText(capacity: range.count)
      part.append(self, range)
      return part
    }
    return AlignedText(Array(bytes[range]), base: Int(base) + range.lowerBound)
  }

  // MARK: Changes

  /// Replaces bytes one by one, each by one byte of the same meaning.
  mutating func map(_ body: (UInt8) -> UInt8) {
    bytes.withUnsafeMutableBufferPointer { bytes in
      for index in bytes.indices { bytes[index] = body(bytes[index]) }
    }
  }

  /// The original bytes that what is inserted at the beginning stands for.
  private var beginning: (lower: Int32, upper: Int32) {
    isOriginal || starts.isEmpty ? (base, base) : (starts[0], starts[0])
  }

  /// Replaces the text by scalars whose alignments follow from their changes.
  ///
  /// - Parameters:
  ///   - changes: the new scalars.
  ///   - skipped: the number of scalars at the beginning that are gone.
  mutating func transform(_ changes: [ScalarChange], skipping skipped: Int = 0) {
    align()
    let old = self
    var result = AlignedText(capacity: old.count + old.count / 4)
    old.bytes.withUnsafeBufferPointer { source in
      var position = 0
      func skip(_ count: Int) {
        var left = count
        while left > 0, position < source.count {
          position += UTF8Bytes.width(source[position])
          left -= 1
        }
      }
      skip(skipped)
      for change in changes {
        let original: (Int32, Int32)
        if change.change > 0 {
          original =
            position == 0 ? old.beginning : (old.starts[position - 1], old.ends[position - 1])
        } else {
          let index = min(position, source.count - 1)
          original = index < 0 ? old.beginning : (old.starts[index], old.ends[index])
          skip(1 - Int(change.change))
        }
        let before = result.bytes.count
        UTF8Bytes.append(change.scalar, to: &result.bytes)
        for _ in before..<result.bytes.count {
          result.starts.append(original.0)
          result.ends.append(original.1)
        }
      }
    }
    self = result
  }

  /// Removes the scalars that a closure does not want.
  mutating func filter(_ keeps: (UInt32) -> Bool) {
    var changes: [ScalarChange] = []
    var (removed, skipped, hasKept, removes) = (Int32(0), 0, false, false)
    bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        guard keeps(scalar) else {
          removed += 1
          removes = true
          continue
        }
        if hasKept { changes[changes.count - 1].change = -removed } else { skipped = Int(removed) }
        changes.append(ScalarChange(scalar, 0))
        hasKept = true
        removed = 0
      }
    }
    guard removes else { return }
    if hasKept { changes[changes.count - 1].change = -removed }
    transform(changes, skipping: skipped)
  }

  /// Puts bytes before the text; they stand for its first scalar.
  ///
  /// - Throws: ``TokenizerError`` of kind `invalidText`.
  mutating func prepend(_ prefix: [UInt8]) throws(TokenizerError) {
    guard !bytes.isEmpty, !prefix.isEmpty else { return }
    try Self.check(count: count + prefix.count)
    align()
    let first = (lower: starts[0], upper: ends[0])
    var result = AlignedText(capacity: count + prefix.count)
    result.append(prefix, for: first)
    result.append(self, 0..<count)
    self = result
  }

  /// Replaces ranges by bytes; what is inserted stands for the last byte that is replaced.
  ///
  /// - Throws: ``TokenizerError`` of kind `invalidText`.
  mutating func replace(
    _ ranges: [Range<Int>], by content: [UInt8]
  ) throws(TokenizerError) {
    guard !ranges.isEmpty else { return }
    let (added, overflow) = ranges.count.multipliedReportingOverflow(by: content.count)
    try Self.check(count: overflow ? .max : min(added, 1 << 40) + count)
    align()
    var result = AlignedText(capacity: count + ranges.count * content.count)
    var last = 0
    for range in ranges {
      result.append(self, last..<range.lowerBound)
      let end = range.upperBound
      result.append(
        content, for: end == 0 ? beginning : (starts[end - 1], ends[end - 1]))
      last = end
    }
    result.append(self, last..<count)
    self = result
  }
}
