import Forge

extension RecognitionError {
  /// The maximum numbers of problems and names in a message.
  private static var shownProblems: Int { 3 }
  private static var shownNames: Int { 6 }

  init(path: String, entryCount: Int, nearest: Fit?) {
    let known = Architecture.allCases.map(\.rawValue).joined(separator: ", ")
    self.init(
      .unknownArchitecture, "these are not the weights of a ready architecture", path: path)
    guard let nearest else {
      problem.details = [
        ("received", entryCount == 1 ? "1 entry" : "\(entryCount) entries"),
        ("needs", "one of \(known)"),
      ]
      return
    }
    var misfits = nearest.problems.prefix(Self.shownProblems).map(\.self)
    let more = nearest.problems.count - misfits.count
    if more > 0 { misfits.append("and \(more) more") }
    if !nearest.unused.isEmpty {
      let count = nearest.unused.count
      let names = nearest.unused.prefix(Self.shownNames).joined(separator: ", ")
      let rest = nearest.unused.count > Self.shownNames ? ", …" : ""
      misfits.append("\(count) unknown layer\(count == 1 ? "" : "s"): \(names)\(rest)")
    }
    problem.details = [
      (
        "nearest",
        "\(nearest.variant.name): \(nearest.found) of its \(nearest.wanted) parameters fit"
      ),
      ("misfits", misfits.joined(separator: "\n")),
      ("needs", "all parameters of one of \(known), and no others"),
    ]
  }
}
