/// Scales the numbers of channels of MobileNets by a factor.
///
/// An invalid factor results in a number of channels that model validation rejects.
enum WidthMultiplier {
  /// `channels` · `alpha`, rounded toward zero; 0 when the product is NaN.
  static func scaled(_ channels: Int, by alpha: Double) -> Int {
    let product = Double(channels) * alpha
    return product.isNaN ? 0 : Int(min(max(product, -0x1p40), 0x1p40))
  }

  /// The multiple of 8 nearest to `channels` · `alpha`, at least 8 and at least nine tenths of the
  /// product.
  ///
  /// - Returns: the number; 0 when the product is not above 0.
  static func multipleOf8(_ channels: Int, by alpha: Double) -> Int {
    let product = Double(channels) * alpha
    guard product > 0 else { return 0 }
    let nearest = max(8, scaled(1, by: product + 4) / 8 * 8)
    return Double(nearest) < 0.9 * product ? nearest + 8 : nearest
  }
}
