/// The names of the constants and variables of a source, each of which is given once.
struct SwiftNames {
  private var used: Set<String>

  /// Creates an empty table.
  ///
  /// - Parameter reserved: names that the source uses otherwise.
  init(reserved: Set<String> = []) { used = reserved }

  /// A name that was not given before: the wanted one, or one with a number.
  mutating func unique(_ wanted: String) -> String {
    var candidate = wanted
    var number = 2
    while !used.insert(candidate).inserted {
      let touches = wanted.last?.isNumber == true
      candidate = "\(wanted)\(touches ? "_" : "")\(number)"
      number += 1
    }
    return candidate
  }
}
