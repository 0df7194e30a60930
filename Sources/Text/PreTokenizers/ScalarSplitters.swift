/// `BertPreTokenizer`: white space separates words, each punctuation mark is a word.
struct BertPreTokenizer: PreTokenizer {
  func split(_ text: inout PieceText) throws(TokenizerError) {
    let (spaces, marks) = (ScalarSet.whitespace, ScalarSet.punctuation)
    try text.split { bytes, range, emit throws(TokenizerError) in
      var (start, position) = (range.lowerBound, range.lowerBound)
      while position < range.upperBound {
        let byte = bytes[position]
        if byte < 0x80 {
          let kind = Self.kinds[Int(byte)]
          if kind != 0 {
            emit(start, position)
            if kind == 2 { emit(position, position + 1) }
            start = position + 1
          }
          position += 1
          continue
        }
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        let isMark = marks.contains(scalar)
        if isMark || spaces.contains(scalar) {
          emit(start, position)
          if isMark { emit(position, position + width) }
          start = position + width
        }
        position += width
      }
      emit(start, range.upperBound)
    }
  }

  /// For each ASCII character: 0 for a part of a word, 1 for white space, 2 for punctuation.
  private static let kinds: [UInt8] = (0..<128).map { value in
    ScalarSet.whitespace.contains(value) ? 1 : ScalarSet.punctuation.contains(value) ? 2 : 0
  }
}

/// `Whitespace`: runs of word characters, and runs of what is neither that nor white space.
struct WhitespacePreTokenizer: PreTokenizer {
  func split(_ text: inout PieceText) throws(TokenizerError) {
    let (spaces, words) = (ScalarSet.whitespace, ScalarSet.words)
    try text.split { bytes, range, emit throws(TokenizerError) in
      var (start, position, kind) = (range.lowerBound, range.lowerBound, 0)
      while position < range.upperBound {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        let next = words.contains(scalar) ? 1 : spaces.contains(scalar) ? 0 : 2
        if next != kind {
          if kind != 0 { emit(start, position) }
          (start, kind) = (position, next)
        }
        position += width
      }
      if kind != 0 { emit(start, range.upperBound) }
    }
  }
}

/// `WhitespaceSplit` and `CharDelimiterSplit`: what separates words is dropped.
struct SeparatorPreTokenizer: PreTokenizer {
  /// The character that separates; white space if there is none.
  let separator: UInt32?

  func split(_ text: inout PieceText) throws(TokenizerError) {
    let spaces = ScalarSet.whitespace
    try text.split { bytes, range, emit throws(TokenizerError) in
      var (start, position) = (range.lowerBound, range.lowerBound)
      while position < range.upperBound {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        if separator.map({ $0 == scalar }) ?? spaces.contains(scalar) {
          emit(start, position)
          start = position + width
        }
        position += width
      }
      emit(start, range.upperBound)
    }
  }
}

/// `Digits` and `Punctuation`: a split at each scalar of a set.
struct SetPreTokenizer: PreTokenizer {
  let set: ScalarSet
  let behavior: SplitBehavior

  func split(_ text: inout PieceText) throws(TokenizerError) {
    try text.split { bytes, range, emit throws(TokenizerError) in
      var collector = SplitCollector(behavior, from: range.lowerBound)
      var position = range.lowerBound
      while position < range.upperBound {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        if set.contains(scalar) { collector.match(position, position + width) }
        position += width
      }
      collector.finish(range.upperBound, emit)
    }
  }
}

/// `FixedLength`: pieces of as many scalars.
struct FixedLengthPreTokenizer: PreTokenizer {
  let length: Int

  func split(_ text: inout PieceText) throws(TokenizerError) {
    try text.split { bytes, range, emit throws(TokenizerError) in
      var (start, position, count) = (range.lowerBound, range.lowerBound, 0)
      while position < range.upperBound {
        position += UTF8Bytes.width(bytes[position])
        count += 1
        if count == length {
          emit(start, position)
          (start, count) = (position, 0)
        }
      }
      emit(start, range.upperBound)
    }
  }
}

/// `Split`: a split at each match of a pattern.
struct PatternPreTokenizer: PreTokenizer {
  let pattern: Pattern
  let behavior: SplitBehavior
  let isInverted: Bool

  func split(_ text: inout PieceText) throws(TokenizerError) {
    try text.split { bytes, range, emit throws(TokenizerError) in
      var collector = SplitCollector(behavior, isInverted: isInverted, from: range.lowerBound)
      try pattern.forEachMatch(bytes, range) { collector.match($0, $1) }
      collector.finish(range.upperBound, emit)
    }
  }
}
