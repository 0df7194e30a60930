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

  /// Sizes such as `1x3x224x224` or `1,3,224,224`; `nil` for anything else.
  ///
  /// In `1x..512` each prediction chooses a length of up to 512, in `1x400..16400/320` one of 400,
  /// 720, … up to 16400.
  package static func sizes(_ text: String) -> [InputSize]? {
    let parts = text.split(omittingEmptySubsequences: false) { "x×,".contains($0) }
    let sizes = parts.compactMap(size)
    return sizes.count == parts.count ? sizes : nil
  }

  /// What to know of an input with several axes of changing length; `nil` for other inputs.
  ///
  /// They do not change apart from each other.
  package static func note(onLengthsOf name: String, _ sizes: [InputSize]) -> String? {
    let ranges = sizes.compactMap(\.progression)
    guard ranges.count > 1, let count = ranges.map(\.count).min(), count > 1 else { return nil }
    func text(_ position: Int) -> String {
      ranges.map { "\($0[position])" }.joined(separator: "×")
    }
    return "the \(ranges.count) axes of \"\(name.printable)\" that change do so together: "
      + "\(text(1)), \(text(2))\(count > 2 ? " … \(text(count))" : "")"
  }

  /// One size: `512`, `..512` or `5..512`, of which the last two may end in `/` and a step.
  private static func size(_ text: Substring) -> InputSize? {
    guard let dots = text.firstRange(of: "..") else {
      return Int(text).flatMap { $0 > 0 ? .exactly($0) : nil }
    }
    let bounds = text[dots.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
    guard bounds.count <= 2, let last = Int(bounds[0]), last > 0 else { return nil }
    if bounds.count == 1, dots.lowerBound == text.startIndex { return .upTo(last) }
    guard let step = bounds.count == 2 ? Int(bounds[1]) : 1, step > 0,
      let first = dots.lowerBound == text.startIndex ? step : Int(text[..<dots.lowerBound]),
      first > 0
    else { return nil }
    return .stepping(from: first, through: last, by: step)
  }
}
