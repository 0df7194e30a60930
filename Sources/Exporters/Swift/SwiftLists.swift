/// The long lists of numbers and texts of a source, each of which is a constant of its own.
struct SwiftLists {
  /// A list.
  struct List: Hashable {
    /// The type of the elements.
    let element: String
    /// The elements as literals.
    let literals: [String]
  }

  /// The most elements that stand where they are used.
  static let mostInPlace = 16

  /// The lists in order of use.
  private(set) var lists: [(name: String, list: List)] = []
  private var names: [List: String] = [:]

  /// The expression of a list: a literal, equal elements, or the name of a constant.
  mutating func expression(_ list: List, name: (String) -> String) -> String {
    if list.literals.count <= Self.mostInPlace {
      return "[\(list.literals.joined(separator: ", "))]"
    }
    if let first = list.literals.first, list.literals.allSatisfy({ $0 == first }) {
      return "[\(list.element)](repeating: \(first), count: \(list.literals.count))"
    }
    if let name = names[list] { return name }
    let name = name("values\(lists.count + 1)")
    names[list] = name
    lists.append((name, list))
    return name
  }

  /// The declaration of a list, in lines of at most 100 columns.
  static func declaration(_ name: String, _ list: List) -> [String] {
    var lines = ["  static let \(name): [\(list.element)] = ["]
    var line = ""
    for literal in list.literals {
      if !line.isEmpty, line.count + literal.count + 2 > 94 {
        lines.append("    " + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + literal + ","
    }
    if !line.isEmpty { lines.append("    " + line) }
    return lines + ["  ]"]
  }
}
