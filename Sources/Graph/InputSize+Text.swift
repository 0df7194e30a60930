import ForgeShapes

extension InputSize {
  /// Reads the sizes of an input from one text, as configurations and command lines have them.
  ///
  /// Sizes are separated by `x`, `×` or `,`. A size is a number; `..512` or `5..512` for a length
  /// (``upTo(_:)``, ``stepping(from:through:by:)``), which may end in `/` and a step; or a name, a
  /// colon and such a range for an open size (``open(_:_:step:)``). Parentheses may stand around a
  /// size.
  ///
  /// ```swift
  /// InputSize.list("1x..512")  // [1, .upTo(512)]
  /// InputSize.list("1x3x(h:32..960/32)x(w:32..960/32)")
  /// ```
  ///
  /// - Parameter text: the sizes.
  /// - Returns: the sizes; `nil` if the text has another form.
  public static func list(_ text: String) -> [InputSize]? {
    var parts: [String] = [""]
    var isInside = false
    for character in text {
      switch character {
      case "(" where !isInside: isInside = true
      case ")" where isInside: isInside = false
      case "x" where !isInside, "×" where !isInside, "," where !isInside: parts.append("")
      default: parts[parts.count - 1].append(character)
      }
    }
    let sizes = parts.compactMap { size($0[...]) }
    return sizes.count == parts.count && !isInside ? sizes : nil
  }

  /// One size.
  private static func size(_ text: Substring) -> InputSize? {
    guard let colon = text.firstIndex(of: ":") else {
      return Int(text).flatMap { $0 > 0 ? .exactly($0) : nil } ?? range(text)
    }
    let name = String(text[..<colon])
    switch name.isEmpty ? nil : range(text[text.index(after: colon)...]) {
    case .upTo(let last): return .open(name, 1...last)
    case .stepping(let first, let last, let step) where first <= last:
      return .open(name, first...last, step: step)
    case .stepping, .exactly, .open, nil: return nil
    }
  }

  /// A range: `..512` or `5..512`, which may end in `/` and a step.
  private static func range(_ text: Substring) -> InputSize? {
    guard let dots = text.firstRange(of: "..") else { return nil }
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
