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
}
