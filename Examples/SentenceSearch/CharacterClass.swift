import Foundation

/// What a character is to BERT's tokenizer, and the words that follow from it.
///
/// The tokenizer of the Python package knows the characters of Unicode 8. Later ones are letters to
/// it, whatever they are, and so they are here.
enum CharacterClass {
  /// White space, which separates words.
  case space
  /// Control characters and such, which are removed.
  case control
  /// Marks such as accents, which are removed after decomposition.
  case mark
  /// Punctuation and ideographs, each a word by itself.
  case alone
  /// Everything else.
  case letter

  init(_ scalar: Unicode.Scalar) {
    self = Self.special(scalar) ?? Self.category(of: scalar)
  }

  /// Characters whose class does not follow from their category in today's Unicode.
  private static func special(_ scalar: Unicode.Scalar) -> CharacterClass? {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: return .space
    case 0xFFFD: return .control
    // Symbols of ASCII are punctuation here.
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: return .alone
    // Their categories have changed since Unicode 8.
    case 0x1734, 0x1171E: return .mark
    case 0x166D, 0x111C9: return .alone
    case 0x1885, 0x1886, 0xA9BD: return .letter
    case let value where isIdeograph(value): return .alone
    default: return nil
    }
  }

  private static func category(of scalar: Unicode.Scalar) -> CharacterClass {
    let properties = scalar.properties
    guard let age = properties.age, age.major <= 8 else { return .letter }
    switch properties.generalCategory {
    case .control, .format, .privateUse, .surrogate: return .control
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return .space
    case .nonspacingMark: return .mark
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      return .alone
    default: return .letter
    }
  }

  /// Whether a character is of the blocks of ideographs, which are written without spaces.
  ///
  /// Extension E begins 256 characters late, as it does in the Python package.
  private static func isIdeograph(_ value: UInt32) -> Bool {
    switch value {
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2A6DF, 0x2A700...0x2B81F,
      0x2B920...0x2CEAF, 0x2F800...0x2FA1F:
      return true
    default: return false
    }
  }

  /// The words of a text, in lower case and without accents.
  static func words(of text: String.UnicodeScalarView) -> [[Unicode.Scalar]] {
    var clean = String.UnicodeScalarView()
    for scalar in text {
      switch CharacterClass(scalar) {
      case .control: continue
      case .space: clean.append(" ")
      case .alone where isIdeograph(scalar.value): clean.append(contentsOf: [" ", scalar, " "])
      default: clean.append(scalar)
      }
    }
    var words: [[Unicode.Scalar]] = [[]]
    for scalar in String(clean).decomposedStringWithCanonicalMapping.unicodeScalars {
      switch CharacterClass(scalar) {
      case .mark: continue
      case .space: words.append([])
      case .alone: words += [[scalar], []]
      // Nothing of a letter's context matters: a sigma at the end stays one.
      default: words[words.count - 1] += scalar.properties.lowercaseMapping.unicodeScalars
      }
    }
    return words.filter { !$0.isEmpty }
  }
}
