import ForgeSystem

/// Functions of the C library, under names that do not hide methods of arrays.
enum Numbers {
  static func log(_ x: Double) -> Double { ForgeSystem.log(x) }
  static func log10(_ x: Double) -> Double { ForgeSystem.log10(x) }
  static func exp(_ x: Double) -> Double { ForgeSystem.exp(x) }
  static func power(_ x: Double, _ y: Double) -> Double { ForgeSystem.pow(x, y) }
  static func sine(_ x: Double) -> Double { ForgeSystem.sin(x) }
  static func cosine(_ x: Double) -> Double { ForgeSystem.cos(x) }

  /// exp(−2πi · k / n), exact at the eighths of a turn.
  static func turn(_ k: Int, of n: Int) -> (Double, Double) {
    let eighths = 8 * (k % n)
    let octant = eighths / n
    // The angle to the next multiple of a quarter, at most an eighth of a turn.
    let quarter = (octant + 1) / 2
    let rest = Double(eighths - 2 * quarter * n) * .pi / (4 * Double(n))
    let (c, s) = (cosine(rest), sine(rest))
    return switch quarter % 4 {
    case 0: (c, -s)
    case 1: (-s, -c)
    case 2: (-c, s)
    default: (s, c)
    }
  }
}
