import Forge

/// An error for a weight file that matches none of the ready architectures.
package struct RecognitionError: Error, CustomStringConvertible {
  /// The file, the nearest architecture, and the reasons why it does not match.
  package let description: String

  /// A few are enough to show the differences.
  private static let shownProblems = 3
  private static let shownNames = 6

  init(path: String, entryCount: Int, nearest: Fit?) {
    let known = Architecture.allCases.map(\.rawValue).joined(separator: ", ")
    let headline = "\(path): these are the weights of no ready architecture"
    guard let nearest else {
      description = Problem.text(
        headline: headline,
        details: [
          ("received", entryCount == 1 ? "1 entry" : "\(entryCount) entries"),
          ("needs", "one of \(known)"),
        ])
      return
    }
    var misfits = nearest.problems.prefix(Self.shownProblems).map(\.self)
    let more = nearest.problems.count - misfits.count
    if more > 0 { misfits.append("and \(more) more") }
    if !nearest.unused.isEmpty {
      let count = nearest.unused.count
      let names = nearest.unused.prefix(Self.shownNames).joined(separator: ", ")
      let rest = nearest.unused.count > Self.shownNames ? ", …" : ""
      misfits.append("\(count) layer\(count == 1 ? "" : "s") it does not have: \(names)\(rest)")
    }
    description = Problem.text(
      headline: headline,
      details: [
        (
          "nearest",
          "\(nearest.variant.name): \(nearest.found) of its \(nearest.wanted) parameters fit"
        ),
        ("misfits", misfits.joined(separator: "\n")),
        ("needs", "all parameters of one of \(known), and no others"),
      ])
  }
}
