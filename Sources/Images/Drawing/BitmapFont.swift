/// A font of 5 by 7 pixels for the printable characters of ASCII, drawn for Forge.
///
/// A glyph is five columns from the left; bit 0 of a column is its upper pixel.
enum BitmapFont {
  /// The width of a glyph, without the column between glyphs.
  static let width = 5
  /// The height of a glyph.
  static let height = 7
  /// The distance from glyph to glyph.
  static let advance = 6

  /// The columns of a character; a box for those that the font lacks.
  static func columns(_ character: Character) -> [UInt8] {
    guard let code = character.asciiValue, code >= 32, code < 127 else {
      return [0x7F, 0x41, 0x41, 0x41, 0x7F]
    }
    let glyph = glyphs[Int(code) - 32]
    return (0..<width).map { UInt8(truncatingIfNeeded: glyph >> (8 * UInt64(width - 1 - $0))) }
  }

  /// The five columns of each glyph, from the upper byte on.
  private static let glyphs: [UInt64] = [
    0x0000000000,  // space
    0x00005F0000,  // !
    0x0007000700,  // "
    0x147F147F14,  // #
    0x242A7F2A12,  // $
    0x2313086462,  // %
    0x3649562050,  // &
    0x0004030000,  // '
    0x001C224100,  // (
    0x0041221C00,  // )
    0x2A1C7F1C2A,  // *
    0x08083E0808,  // +
    0x0040300000,  // ,
    0x0808080808,  // -
    0x0060600000,  // .
    0x4030080601,  // /
    0x3E5149453E,  // 0
    0x00427F4000,  // 1
    0x6251494946,  // 2
    0x2241494936,  // 3
    0x1814127F10,  // 4
    0x2F49494931,  // 5
    0x3C4A494930,  // 6
    0x0171090503,  // 7
    0x3649494936,  // 8
    0x064949291E,  // 9
    0x0036360000,  // :
    0x0056360000,  // ;
    0x0814224100,  // <
    0x1414141414,  // =
    0x0041221408,  // >
    0x0201510906,  // ?
    0x3E415D551E,  // @
    0x7C1211127C,  // A
    0x7F49494936,  // B
    0x3E41414122,  // C
    0x7F4141221C,  // D
    0x7F49494941,  // E
    0x7F09090901,  // F
    0x3E4149493A,  // G
    0x7F0808087F,  // H
    0x00417F4100,  // I
    0x2040413F01,  // J
    0x7F08142241,  // K
    0x7F40404040,  // L
    0x7F020C027F,  // M
    0x7F0408107F,  // N
    0x3E4141413E,  // O
    0x7F09090906,  // P
    0x3E4151215E,  // Q
    0x7F09192946,  // R
    0x2649494932,  // S
    0x01017F0101,  // T
    0x3F4040403F,  // U
    0x0F3040300F,  // V
    0x3F4038403F,  // W
    0x6314081463,  // X
    0x0304780403,  // Y
    0x6151494543,  // Z
    0x007F414100,  // [
    0x0106083040,  // \
    0x0041417F00,  // ]
    0x0402010204,  // ^
    0x4040404040,  // _
    0x0001020400,  // `
    0x2054545478,  // a
    0x7F48444438,  // b
    0x3844444428,  // c
    0x384444487F,  // d
    0x3854545418,  // e
    0x087E090102,  // f
    0x0C5252523E,  // g
    0x7F08040478,  // h
    0x00447D4000,  // i
    0x2040443D00,  // j
    0x7F10284400,  // k
    0x00417F4000,  // l
    0x7C04180478,  // m
    0x7C08040478,  // n
    0x3844444438,  // o
    0x7C14141408,  // p
    0x081414187C,  // q
    0x7C08040408,  // r
    0x4854545420,  // s
    0x043F444020,  // t
    0x3C4040207C,  // u
    0x1C2040201C,  // v
    0x3C4030403C,  // w
    0x4428102844,  // x
    0x0C5050503C,  // y
    0x4464544C44,  // z
    0x0008364100,  // {
    0x00007F0000,  // |
    0x0041360800,  // }
    0x0804081008,  // ~
  ]
}
