import ForgeShapes

/// The problems with the options of a compile.
extension Problem {
  package static func badOption(_ name: String, _ value: String, needs: String) -> Problem {
    Problem(
      headline: "the option \(name) is out of range",
      details: [("received", value), ("needs", needs)])
  }

  package static func unknownNames(
    _ what: String, _ names: [String], known: [String]
  ) -> Problem {
    var details = [("received", names.map { "\"\($0)\"" }.joined(separator: ", "))]
    let near = names.compactMap { NearNames.nearest(to: $0, in: known).first }
    if !near.isEmpty {
      details.append(
        ("remedy", "did you mean \(near.map { "\"\($0)\"" }.joined(separator: ", "))?"))
    }
    return Problem(headline: what, details: details)
  }

  package static func instructionSetMissing(_ name: String, has: String) -> Problem {
    Problem(
      headline: "this machine lacks the instruction set \(name)",
      details: [("needs", "at most \(has)")])
  }
}
