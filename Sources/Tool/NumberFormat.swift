import ForgeSystem

extension String {
  /// Numbers as C's `printf` writes them.
  ///
  /// Foundation has the same initializer. It stands in the part that brings tables of all languages
  /// along, which every start of the tool would load.
  ///
  /// - Parameters:
  ///   - format: text with a conversion for each number: `%8.4f` of a `Double`, `%ld` of an `Int`.
  ///   - numbers: the numbers of the conversions, in their order.
  init(format: String, _ numbers: any CVarArg...) {
    let length = withVaList(numbers) { vsnprintf(nil, 0, format, $0) }
    self.init(unsafeUninitializedCapacity: Swift.max(Int(length), 0) + 1) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        let written = withVaList(numbers) { vsnprintf(text.baseAddress, text.count, format, $0) }
        return Swift.max(Int(written), 0)
      }
    }
  }

  /// The text with spaces after it, up to a number of characters.
  func padding(to length: Int) -> String {
    self + String(repeating: " ", count: max(length - count, 0))
  }
}
