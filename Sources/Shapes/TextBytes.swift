extension StringProtocol {
  /// Whether all bytes of the text in UTF-8 satisfy a condition.
  ///
  /// The bytes of most texts lie in one piece, which is walked without iterators.
  package func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) }
      ?? utf8.allSatisfy(isAllowed)
  }

  /// Whether all characters are of ASCII.
  package var isASCII: Bool { hasOnly { $0 < 0x80 } }
}
