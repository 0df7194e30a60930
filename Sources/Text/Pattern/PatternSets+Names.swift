/// The classes of scalars that patterns name.
extension PatternSets {
  static let spaces = ScalarSet(runs: patternSpaces)
  static let digits = ScalarSet(runs: patternDigits)
  static let words = ScalarSet(runs: patternWords)
  static let hexadecimal = ranges(0x30...0x39, 0x41...0x46, 0x61...0x66)

  private static func ranges(_ list: ClosedRange<UInt32>...) -> ScalarSet {
    var set = ScalarSet()
    for range in list { set.insert(range.lowerBound..<range.upperBound + 1) }
    return set
  }

  /// The set of each general category, by its two letters.
  private static let byCategory: [String: ScalarSet] = {
    var table: [String: ScalarSet] = [:]
    var (position, length) = (UInt32(0), UInt32(0))
    var name: [UInt8] = []
    for index in 0...categories.utf8CodeUnitCount {
      let byte = index < categories.utf8CodeUnitCount ? categories.utf8Start[index] : 0x20
      if byte == 0x20 {
        guard name.count == 2 else { continue }
        let key = String(decoding: name, as: UTF8.self)
        table[key, default: ScalarSet()].insert(position..<position + length)
        position += length
        length = 0
        name = []
      } else if name.isEmpty, let digit = Character(UnicodeScalar(byte)).hexDigitValue,
        !(0x41...0x5A).contains(byte)
      {
        length = length << 4 | UInt32(digit)
      } else {
        name.append(byte)
      }
    }
    return table
  }()

  private static let longNames = [
    "letter": "L", "mark": "M", "number": "N", "punctuation": "P", "symbol": "S",
    "separator": "Z", "other": "C", "uppercaseletter": "Lu", "lowercaseletter": "Ll",
    "titlecaseletter": "Lt", "modifierletter": "Lm", "otherletter": "Lo",
    "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me", "decimalnumber": "Nd",
    "letternumber": "Nl", "othernumber": "No", "control": "Cc", "format": "Cf",
  ]

  private static let scripts: [String: StaticString] = [
    "han": scriptHan, "hiragana": scriptHiragana, "katakana": scriptKatakana,
    "hangul": scriptHangul, "latin": scriptLatin, "cyrillic": scriptCyrillic,
    "greek": scriptGreek, "arabic": scriptArabic, "hebrew": scriptHebrew, "thai": scriptThai,
    "devanagari": scriptDevanagari,
  ]

  /// The scalars of a category or a script; `nil` for a name that is not known.
  static func property(_ name: String) -> ScalarSet? {
    let plain = String(
      name.unicodeScalars.filter { $0 != "_" && $0 != " " && $0 != "-" }
    ).lowercased()
    if let script = scripts[plain] { return ScalarSet(runs: script) }
    if plain == "any" {
      return ranges(0...0x10FFFF)
    }
    let code = longNames[plain] ?? plain
    guard code.count <= 2, let first = code.first else { return posix(plain, isProperty: true) }
    let key = first.uppercased() + code.dropFirst().lowercased()
    if let set = byCategory[key] { return set }
    guard key.count == 1 else { return nil }
    var union: ScalarSet?
    for (category, set) in byCategory where category.hasPrefix(key) {
      if union == nil { union = set } else { union?.formUnion(set) }
    }
    return union
  }

  /// The scalars of a class in brackets; `nil` for a name that is not known.
  static func posix(_ name: String, isProperty: Bool = false) -> ScalarSet? {
    switch name {
    case "space": return spaces
    case "digit": return digits
    case "word": return words
    case "xdigit": return hexadecimal
    case "ascii": return ranges(0...0x7F)
    case "cntrl": return byCategory["Cc"]
    case "punct":
      guard var set = property("P"), let symbols = property("S") else { return nil }
      set.formUnion(symbols)
      return set
    case "blank":
      guard var set = byCategory["Zs"] else { return nil }
      set.insert(0x09..<0x0A)
      return set
    default: return nil
    }
  }
}
