/// The tokens of a text, or of a pair of texts.
///
/// All arrays have one element per token. Added tokens such as [CLS], and padding, belong to no
/// text: their ranges are empty at 0 and they have no word.
public struct TokenizedText: Sendable, Hashable {
  /// The ids of the tokens.
  public internal(set) var ids: [Int32] = []
  /// The kind of each token's text: 0 for the first one, usually 1 for the second one.
  public internal(set) var typeIDs: [Int32] = []
  /// 1 for a token, 0 for padding.
  public internal(set) var attentionMask: [Int32] = []
  /// 1 for tokens that belong to no text, 0 for others.
  public internal(set) var specialTokensMask: [Int32] = []
  /// The tokens as the vocabulary has them; unknown characters and added tokens as the text has
  /// them.
  public internal(set) var tokens: [String] = []
  /// The part of the text that each token stands for, in bytes of UTF-8.
  public internal(set) var byteOffsets: [TextRange] = []
  /// The part of the text that each token stands for, in Unicode scalars, as Python counts.
  public internal(set) var scalarOffsets: [TextRange] = []
  var words: [Int32] = []
  var sequences: [TokenRange] = []
  /// What truncation cut off, in parts of the same length that overlap by the stride.
  public internal(set) var overflowing: [TokenizedText] = []

  /// Creates an encoding without tokens.
  public init() {}

  /// The number of tokens.
  public var count: Int { ids.count }

  /// The word of its text that each token belongs to, counted from 0.
  public var wordIDs: [Int?] { words.map { $0 < 0 ? nil : Int($0) } }

  /// The text that each token belongs to: 0 for the first one, 1 for the second one.
  public var sequenceIDs: [Int?] {
    guard !sequences.isEmpty else { return [Int?](repeating: 0, count: count) }
    var list = [Int?](repeating: nil, count: count)
    for sequence in sequences.sorted(by: { $0.sequence < $1.sequence }) {
      for index in sequence.lower..<min(sequence.upper, count) { list[index] = sequence.sequence }
    }
    return list
  }

  /// The tokens that belong to one text.
  struct TokenRange: Sendable, Hashable {
    var sequence: Int
    var lower: Int
    var upper: Int
  }

  // MARK: Parts

  /// Says that all tokens belong to a text.
  mutating func setSequence(_ sequence: Int) {
    sequences.removeAll { $0.sequence == sequence }
    sequences.append(TokenRange(sequence: sequence, lower: 0, upper: count))
  }

  /// Gives all tokens one type.
  mutating func setType(_ type: Int32) {
    typeIDs = [Int32](repeating: type, count: count)
  }

  /// Tokens that belong to no text.
  static func special(_ tokens: [(token: String, id: Int32)], type: Int32) -> TokenizedText {
    var result = TokenizedText()
    let count = tokens.count
    result.ids = tokens.map(\.id)
    result.tokens = tokens.map(\.token)
    result.typeIDs = [Int32](repeating: type, count: count)
    result.attentionMask = [Int32](repeating: 1, count: count)
    result.specialTokensMask = result.attentionMask
    result.byteOffsets = [TextRange](repeating: TextRange(0, 0), count: count)
    result.scalarOffsets = result.byteOffsets
    result.words = [Int32](repeating: -1, count: count)
    return result
  }

  /// A part of the tokens, without what overflowed.
  private func part(_ range: Range<Int>) -> TokenizedText {
    var result = TokenizedText()
    result.ids = Array(ids[range])
    result.typeIDs = Array(typeIDs[range])
    result.attentionMask = Array(attentionMask[range])
    result.specialTokensMask = Array(specialTokensMask[range])
    result.tokens = Array(tokens[range])
    result.byteOffsets = Array(byteOffsets[range])
    result.scalarOffsets = Array(scalarOffsets[range])
    result.words = Array(words[range])
    return result
  }

  /// Appends another encoding; what overflowed of both is combined in all ways.
  mutating func append(_ other: TokenizedText) {
    var combined: [TokenizedText] = []
    for mine in overflowing {
      for its in [other.withoutOverflow] + other.overflowing {
        var both = mine
        both.append(its)
        combined.append(both)
      }
    }
    for its in other.overflowing {
      var both = withoutOverflow
      both.append(its)
      combined.append(both)
    }
    let before = count
    for sequence in other.sequences {
      sequences.removeAll { $0.sequence == sequence.sequence }
      sequences.append(
        TokenRange(
          sequence: sequence.sequence, lower: before + sequence.lower,
          upper: before + sequence.upper))
    }
    ids += other.ids
    typeIDs += other.typeIDs
    attentionMask += other.attentionMask
    specialTokensMask += other.specialTokensMask
    tokens += other.tokens
    byteOffsets += other.byteOffsets
    scalarOffsets += other.scalarOffsets
    words += other.words
    overflowing = combined
  }

  private var withoutOverflow: TokenizedText {
    guard !overflowing.isEmpty else { return self }
    var copy = self
    copy.overflowing = []
    return copy
  }

  // MARK: Truncation and padding

  /// Keeps this many tokens; the others go into parts of the same length.
  ///
  /// - Throws: ``TokenizerError`` of kind `truncation` for a stride that is not below the length.
  mutating func truncate(
    to length: Int, stride: Int, fromLeft: Bool
  ) throws(TokenizerError) {
    guard length < count else { return }
    let stride = max(0, stride)
    guard length > 0 else {
      let everything = self
      self = TokenizedText()
      overflowing = [everything]
      return
    }
    guard stride < length else {
      throw TokenizerError(
        .truncation, "the stride leaves no token", received: "a stride of \(stride)",
        needs: "less than \(length), the maximum length without added tokens")
    }
    let step = length - stride
    var ranges: [Range<Int>] = []
    if fromLeft {
      var upper = count
      while upper > 0 {
        let lower = max(0, upper - length)
        ranges.append(lower..<upper)
        if lower == 0 { break }
        upper -= step
      }
    } else {
      var lower = 0
      while lower < count {
        let upper = min(lower + length, count)
        ranges.append(lower..<upper)
        if upper == count { break }
        lower += step
      }
    }
    guard ranges.count <= 1 << 16 else {
      throw TokenizerError(
        .truncation, "the text falls into too many parts", received: "\(ranges.count) parts",
        needs: "at most \(1 << 16)", remedy: "use a greater length or a smaller stride")
    }
    let everything = self
    self = everything.part(ranges[0])
    overflowing = ranges.dropFirst().map { everything.part($0) }
  }

  /// Adds padding up to a length, here and to what overflowed.
  mutating func pad(to length: Int, _ padding: TokenPadding) {
    for index in overflowing.indices { overflowing[index].pad(to: length, padding) }
    let missing = length - count
    guard missing > 0 else { return }
    func add<Element>(_ value: Element, to list: inout [Element]) {
      let pads = repeatElement(value, count: missing)
      if padding.side == .left { list.insert(contentsOf: pads, at: 0) } else { list += pads }
    }
    add(padding.id, to: &ids)
    add(padding.typeID, to: &typeIDs)
    add(0, to: &attentionMask)
    add(1, to: &specialTokensMask)
    add(padding.token, to: &tokens)
    add(TextRange(0, 0), to: &byteOffsets)
    add(TextRange(0, 0), to: &scalarOffsets)
    add(-1, to: &words)
    guard padding.side == .left else { return }
    for index in sequences.indices {
      sequences[index].lower += missing
      sequences[index].upper += missing
    }
  }
}
