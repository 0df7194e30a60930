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
    let split = places.first { index in
      index != text.startIndex && names.map { $0.contains(String(text[..<index])) } ?? true
    }
    name = split.map { String(text[..<$0]) }
    value = split.map { String(text[text.index(after: $0)...]) } ?? text
  }

  /// What to know of an input with several axes of changing length; `nil` for other inputs.
  ///
  /// They do not change apart from each other; open sizes do.
  package static func note(onLengthsOf name: String, _ sizes: [InputSize]) -> String? {
    let ranges = sizes.compactMap(\.progression)
    guard ranges.count > 1, let count = ranges.map(\.count).min(), count > 1 else { return nil }
    func text(_ position: Int) -> String {
      ranges.map { "\($0[position])" }.joined(separator: "×")
    }
    return "the \(ranges.count) axes of \"\(name.printable)\" that change do so together: "
      + "\(text(1)), \(text(2))\(count > 2 ? " … \(text(count))" : ""); "
      + "named sizes, such as (h:32..960), vary independently"
  }
}
