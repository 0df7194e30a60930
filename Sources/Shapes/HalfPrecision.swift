extension Float {
  /// Converts an IEEE 754 half-precision number from its bits.
  ///
  /// `Float16` does not exist on every platform of Swift.
  @inlinable
  package init(halfPrecision bits: UInt16) {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10) & 0x1F
    let fraction = UInt32(bits & 0x3FF)
    switch exponent {
    case 0:  // zero and subnormal: fraction · 2⁻²⁴
      self.init(bitPattern: (Float(fraction) * 0x1p-24).bitPattern | sign)
    case 31: self.init(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: self.init(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }

  /// Converts a bfloat16 number, the upper half of a single-precision one, from its bits.
  @inlinable
  package init(bfloat16 bits: UInt16) {
    self.init(bitPattern: UInt32(bits) << 16)
  }

  /// The bits of the nearest half-precision number, the even one of two.
  @inlinable
  package var halfPrecisionBits: UInt16 {
    let sign = UInt16(truncatingIfNeeded: bitPattern >> 16) & 0x8000
    let size = bitPattern & 0x7FFF_FFFF
    if size > 0x7F80_0000 { return sign | 0x7E00 | UInt16(size >> 13 & 0x3FF) }
    // From 65520 on the nearest number would be 65536.
    if size >= 0x477F_F000 { return sign | 0x7C00 }
    if size < 0x3880_0000 {
      // Subnormal numbers are multiples of 2⁻²⁴; the product is exact.
      return sign | UInt16((magnitude * 0x1p24).rounded(.toNearestOrEven))
    }
    return sign | UInt16((size + 0xFFF + (size >> 13 & 1) - 0x3800_0000) >> 13)
  }

  /// The bits of the nearest bfloat16 number, the even one of two; NaN stays NaN.
  @inlinable
  package var bfloat16Bits: UInt16 {
    if isNaN { return UInt16(bitPattern >> 16) | 0x40 }
    return UInt16((bitPattern + 0x7FFF + (bitPattern >> 16 & 1)) >> 16)
  }

  /// The nearest bfloat16 number, the even one of two.
  @inlinable
  package var roundedToBFloat16: Float { isNaN ? self : Float(bfloat16: bfloat16Bits) }
}
