import Forge
import ForgeImporters

/// An argument `NAME=VALUE`, whose name may be left out.
package struct NamedArgument: Hashable, Sendable {
  /// The name; `nil` if it was left out.
  package let name: String?
  /// The value.
  package let value: String

  /// Splits an argument at the last `=` before which a name stands; `=` in paths is allowed where
  /// `names` has no such name.
  ///
  /// - Parameters:
  ///   - text: the argument.
  ///   - names: the names that are known; `nil` takes any.
  package init(_ text: String, names: [String]? = nil) {
    let places = text.indices.filter { text[$0] == "=" }
    let split = places.first { place in
      place != text.startIndex && names.map { $0.contains(String(text[..<place])) } ?? true
    }
    name = split.map { String(text[..<$0]) }
    value = split.map { String(text[text.index(after: $0)...]) } ?? text
  }

  /// Sizes such as `1x3x224x224`, `1,3,224,224` or `1x..512`, where `..512` is the length of a
  /// sequence of up to 512; `nil` for anything else.
  package static func sizes(_ text: String) -> [InputSize]? {
    let parts = text.split(omittingEmptySubsequences: false) { "x×,".contains($0) }
    let sizes = parts.compactMap { part -> InputSize? in
      let isOpen = part.hasPrefix("..")
      guard let number = Int(isOpen ? part.dropFirst(2) : part), number > 0 else { return nil }
      return isOpen ? .upTo(number) : .exactly(number)
    }
    return sizes.count == parts.count ? sizes : nil
  }
}
