/// Reads patterns in the syntax of Ruby, as Hugging Face's library has them, without what no
/// tokenizer uses: references, captures that matter, conditions and calls are refused by name.
struct PatternParser {
  private let scalars: [Unicode.Scalar]
  private let source: String
  private var position = 0
  private var ignoresCase = false
  private var dotTakesNewlines = false
  private var depth = 0
  private(set) var sets: [ScalarSet] = []
  private static let maximumDepth = 32
  private static let maximumCount = 1000

  /// Reads a pattern.
  ///
  /// - Throws: ``TokenizerError``: `unsupported`, `malformed` or `tooLarge`.
  static func parse(
    _ source: String
  ) throws(TokenizerError) -> (node: PatternNode, sets: [ScalarSet]) {
    var parser = PatternParser(source)
    let node = try parser.alternatives()
    guard parser.position == parser.scalars.count else { throw parser.damaged("a bracket") }
    return (node, parser.sets)
  }

  private init(_ source: String) {
    self.source = source
    scalars = Array(source.unicodeScalars)
  }

  // MARK: Errors

  private func damaged(_ what: String) -> TokenizerError {
    .malformed("the pattern \(source), with \(what) at character \(position)")
  }

  private func refused(_ what: String) -> TokenizerError {
    .unsupported("the pattern \(source)", what)
  }

  // MARK: Scalars

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func take(text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  private mutating func add(_ set: ScalarSet) throws(TokenizerError) -> PatternNode {
    guard sets.count < 256 else { throw refused("more than 256 classes") }
    sets.append(set)
    return .set(sets.count - 1)
  }

  // MARK: Structure

  private mutating func alternatives() throws(TokenizerError) -> PatternNode {
    guard depth < Self.maximumDepth else { throw refused("deeper nesting") }
    depth += 1
    defer { depth -= 1 }
    // Options that stand alone hold to the end of the group.
    let options = (ignoresCase, dotTakesNewlines)
    defer { (ignoresCase, dotTakesNewlines) = options }
    var list = [try sequence()]
    while take("|") { list.append(try sequence()) }
    return list.count == 1 ? list[0] : .alternatives(list)
  }

  private mutating func sequence() throws(TokenizerError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = position
      guard let node = try atom() else { continue }
      nodes.append(try quantified(node, isAtom: start < position))
    }
    return Self.joined(nodes)
  }

  /// Neighboring literals as one.
  private static func joined(_ nodes: [PatternNode]) -> PatternNode {
    var result: [PatternNode] = []
    for node in nodes {
      if case .literal(let bytes) = node, case .literal(let before)? = result.last {
        result[result.count - 1] = .literal(before + bytes)
      } else {
        result.append(node)
      }
    }
    return result.isEmpty ? .empty : result.count == 1 ? result[0] : .sequence(result)
  }

  private mutating func quantified(
    _ node: PatternNode, isAtom: Bool
  ) throws(TokenizerError) -> PatternNode {
    var result = node
    while let (minimum, maximum, isInterval) = try quantifier() {
      var greed = PatternGreed.greedy
      if take("?") {
        guard !isInterval || minimum != maximum else { throw refused("{n}?") }
        greed = .lazy
      } else if !isInterval, take("+") {
        greed = .possessive
      }
      if maximum > 1, result.minimumLength == 0 {
        throw refused("a loop over a part that may be empty")
      }
      result = .loop(result, minimum: minimum, maximum: maximum, greed)
    }
    return result
  }

  private mutating func quantifier() throws(TokenizerError) -> (Int, Int, Bool)? {
    if take("*") { return (0, .max, false) }
    if take("+") { return (1, .max, false) }
    if take("?") { return (0, 1, false) }
    let start = position
    guard take("{") else { return nil }
    let lower = try number()
    let hasComma = take(",")
    let upper = try number()
    guard take("}"), lower != nil || (hasComma && upper != nil) else {
      position = start
      return nil
    }
    let minimum = lower ?? 0
    let maximum = hasComma ? upper ?? .max : minimum
    guard minimum <= maximum else { throw damaged("a quantifier with maximum below minimum") }
    return (minimum, maximum, true)
  }

  private mutating func number() throws(TokenizerError) -> Int? {
    var value: Int?
    while let digit = next?.value, 0x30...0x39 ~= digit {
      value = (value ?? 0) * 10 + Int(digit - 0x30)
      guard value ?? 0 <= Self.maximumCount else { throw refused("a count above 1000") }
      position += 1
    }
    return value
  }

  // MARK: Atoms

  private mutating func atom() throws(TokenizerError) -> PatternNode? {
    guard let scalar = next else { throw damaged("its end") }
    switch scalar {
    case "(":
      position += 1
      return try group()
    case "[":
      position += 1
      return try add(try bracket())
    case ".":
      position += 1
      var set = ScalarSet()
      set.insert(dotTakesNewlines ? 0..<0x110000 : 0..<0x0A)
      if !dotTakesNewlines { set.insert(0x0B..<0x110000) }
      return try add(set)
    case "^":
      position += 1
      return .assertion(.lineStart)
    case "$":
      position += 1
      return .assertion(.lineEnd)
    case "\\":
      position += 1
      return try escape()
    case "*", "+", "?": throw damaged("a quantifier after nothing")
    default:
      position += 1
      return try literal(scalar)
    }
  }

  private mutating func literal(_ scalar: Unicode.Scalar) throws(TokenizerError) -> PatternNode {
    guard ignoresCase else { return .literal(Array(String(scalar).utf8)) }
    guard scalar.isASCII else { throw refused("(?i) with \(scalar)") }
    guard scalar.properties.isAlphabetic else { return .literal([UInt8(scalar.value)]) }
    // Two letters that one character folds to, such as ff, would match it.
    if let before = position >= 2 ? scalars[position - 2] : nil {
      let pair = String(before).lowercased() + String(scalar).lowercased()
      if ["ss", "ff", "fi", "fl", "st"].contains(pair) { throw refused("(?i) with \(pair)") }
    }
    return try add(Self.folded(scalar.value))
  }

  /// A letter of ASCII in both cases, with what folds to it.
  private static func folded(_ value: UInt32) -> ScalarSet {
    var set = ScalarSet()
    set.insert(value & ~0x20..<value & ~0x20 + 1)
    set.insert(value | 0x20..<value | 0x20 + 1)
    if value | 0x20 == 0x73 { set.insert(0x17F..<0x180) }
    if value | 0x20 == 0x6B { set.insert(0x212A..<0x212B) }
    return set
  }

  private mutating func group() throws(TokenizerError) -> PatternNode? {
    if take(text: "?:") { return try closed(try alternatives()) }
    if take(text: "?=") { return .lookahead(try closed(try alternatives()), isNegative: false) }
    if take(text: "?!") { return .lookahead(try closed(try alternatives()), isNegative: true) }
    if take(text: "?>") { return .atomic(try closed(try alternatives())) }
    if take(text: "?<=") { return try behind(isNegative: false) }
    if take(text: "?<!") { return try behind(isNegative: true) }
    if take(text: "?#") {
      while let scalar = next, scalar != ")" {
        position += scalar == "\\" ? 2 : 1
      }
      guard take(")") else { throw damaged("an unterminated comment") }
      return nil
    }
    if take(text: "?<") {
      while let scalar = next, scalar != ">" {
        guard
          scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar == "_"
        else { throw damaged("a name") }
        position += 1
      }
      guard take(">") else { throw damaged("an unterminated name") }
      return try closed(try alternatives())
    }
    guard take("?") else { return try closed(try alternatives()) }
    return try options()
  }

  private mutating func closed(_ node: PatternNode) throws(TokenizerError) -> PatternNode {
    guard take(")") else { throw damaged("an unterminated group") }
    return node
  }

  private mutating func behind(isNegative: Bool) throws(TokenizerError) -> PatternNode {
    let node = try closed(try alternatives())
    switch node {
    case .set(let index): return .lookbehind(index, isNegative: isNegative)
    case .literal(let bytes):
      let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
      guard scalars.count == 1 else { throw refused("a lookbehind of more than one character") }
      var set = ScalarSet()
      set.insert(scalars[0].value..<scalars[0].value + 1)
      sets.append(set)
      return .lookbehind(sets.count - 1, isNegative: isNegative)
    default: throw refused("a lookbehind of more than one character")
    }
  }

  private mutating func options() throws(TokenizerError) -> PatternNode? {
    let before = (ignoresCase, dotTakesNewlines)
    var isOn = true
    while let scalar = next {
      position += 1
      switch scalar {
      case "-": isOn = false
      case "i": ignoresCase = isOn
      case "m": dotTakesNewlines = isOn
      case ")": return nil
      case ":":
        let node = try closed(try alternatives())
        (ignoresCase, dotTakesNewlines) = before
        return node
      default: throw refused("(?\(scalar)")
      }
    }
    throw damaged("unterminated options")
  }

  // MARK: Escapes

  private mutating func escape() throws(TokenizerError) -> PatternNode {
    guard let scalar = next else { throw damaged("a backslash at the end") }
    switch scalar {
    case "A", "z", "Z", "b", "B":
      position += 1
      switch scalar {
      case "A": return .assertion(.textStart)
      case "z": return .assertion(.textEnd)
      case "Z": return .assertion(.lastLineEnd)
      case "b": return .assertion(.wordBoundary)
      default: return .assertion(.noWordBoundary)
      }
    default: break
    }
    if let set = try classEscape() { return try add(set) }
    return try literal(try scalarEscape())
  }

  /// The class of an escape, if it is one; the backslash was taken.
  private mutating func classEscape() throws(TokenizerError) -> ScalarSet? {
    guard let scalar = next else { throw damaged("a backslash at the end") }
    let set: ScalarSet
    switch scalar {
    case "s", "S": set = PatternSets.spaces
    case "d", "D": set = PatternSets.digits
    case "w", "W": set = PatternSets.words
    case "h", "H": set = PatternSets.hexadecimal
    case "p", "P":
      position += 1
      guard take("{") else { throw damaged("a property without a name") }
      let isInverted = take("^") != (scalar == "P")
      var name = ""
      while let letter = next, letter != "}" {
        name.unicodeScalars.append(letter)
        position += 1
      }
      guard take("}") else { throw damaged("an unterminated property") }
      guard let property = PatternSets.property(name) else { throw refused("\\p{\(name)}") }
      return isInverted ? property.inverted() : property
    default: return nil
    }
    position += 1
    return scalar.properties.isUppercase ? set.inverted() : set
  }

  /// The scalar of an escape; the backslash was taken.
  private mutating func scalarEscape() throws(TokenizerError) -> Unicode.Scalar {
    guard let scalar = next else { throw damaged("a backslash at the end") }
    position += 1
    switch scalar {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "f": return "\u{0C}"
    case "v": return "\u{0B}"
    case "a": return "\u{07}"
    case "e": return "\u{1B}"
    case "x":
      if take("{") {
        let value = try hexadecimal(most: 8)
        guard take("}") else { throw damaged("an unterminated escape") }
        return value
      }
      return try hexadecimal(most: 2)
    case "u": return try hexadecimal(most: 4)
    default:
      guard !scalar.properties.isAlphabetic, !(0x30...0x39).contains(scalar.value) else {
        throw refused("\\\(scalar)")
      }
      return scalar
    }
  }

  private mutating func hexadecimal(most: Int) throws(TokenizerError) -> Unicode.Scalar {
    var (value, count) = (UInt32(0), 0)
    while count < most, let digit = next.flatMap({ Character($0).hexDigitValue }) {
      value = value << 4 | UInt32(digit)
      position += 1
      count += 1
    }
    // A byte above 127 alone is not a character.
    guard count > 0, let scalar = Unicode.Scalar(value), most != 2 || value < 0x80 else {
      throw damaged("an escape that is not a character")
    }
    return scalar
  }

  // MARK: Classes

  private mutating func bracket() throws(TokenizerError) -> ScalarSet {
    guard depth < Self.maximumDepth else { throw refused("deeper nesting") }
    depth += 1
    defer { depth -= 1 }
    let isInverted = take("^")
    var (set, intersection) = (ScalarSet(), ScalarSet?.none)
    var isFirst = true
    while true {
      guard let scalar = next else { throw damaged("an unterminated class") }
      if scalar == "]", !isFirst { break }
      isFirst = false
      if take(text: "&&") {
        if intersection == nil { intersection = set } else { intersection?.formIntersection(set) }
        set = ScalarSet()
        continue
      }
      if take(text: "[:") {
        set.formUnion(try posix())
        continue
      }
      if take("[") {
        set.formUnion(try bracket())
        continue
      }
      try range(into: &set)
    }
    position += 1
    if var all = intersection {
      all.formIntersection(set)
      set = all
    }
    return isInverted ? set.inverted() : set
  }

  private mutating func posix() throws(TokenizerError) -> ScalarSet {
    let isInverted = take("^")
    var name = ""
    while let letter = next, letter != ":" {
      name.unicodeScalars.append(letter)
      position += 1
    }
    guard take(text: ":]") else { throw damaged("an unterminated class") }
    guard let set = PatternSets.posix(name) else { throw refused("[:\(name):]") }
    return isInverted ? set.inverted() : set
  }

  /// One scalar, a range, or the class of an escape.
  private mutating func range(into set: inout ScalarSet) throws(TokenizerError) {
    guard let first = try member(into: &set) else { return }
    var last = first
    if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
      position += 1
      guard let end = try member(into: &set) else { throw damaged("an unterminated range") }
      last = end
    }
    guard first.value <= last.value else { throw damaged("a range that ends before it begins") }
    set.insert(first.value..<last.value + 1)
    guard ignoresCase else { return }
    guard last.isASCII else { throw refused("(?i) with \(last) in a class") }
    for value in first.value...last.value where 0x61...0x7A ~= value | 0x20 {
      set.formUnion(Self.folded(value))
    }
  }

  /// A scalar of a class; `nil` for the class of an escape, which is added.
  private mutating func member(
    into set: inout ScalarSet
  ) throws(TokenizerError) -> Unicode.Scalar? {
    guard let scalar = next else { throw damaged("an unterminated class") }
    position += 1
    guard scalar == "\\" else { return scalar }
    if let inner = try classEscape() {
      set.formUnion(inner)
      return nil
    }
    if next == "b" {
      position += 1
      return "\u{08}"
    }
    return try scalarEscape()
  }
}
