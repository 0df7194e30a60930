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

  /// Sizes such as `1x3x224x224` or `1,3,224,224`; `nil` for anything else.
  package static func sizes(_ text: String) -> [Int]? {
    let parts = text.split(omittingEmptySubsequences: false) { "x×,".contains($0) }
    let sizes = parts.compactMap { Int($0) }
    return sizes.count == parts.count && sizes.allSatisfy { $0 > 0 } ? sizes : nil
  }
}
