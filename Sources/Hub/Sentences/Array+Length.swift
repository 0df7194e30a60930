extension [Float] {
  /// Scales a vector to length 1; one shorter than 10⁻¹² is divided by that.
  mutating func normalizeLength() {
    let length = reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    let factor = 1 / Swift.max(length, 1e-12)
    for index in indices { self[index] = Float(Double(self[index]) * factor) }
  }
}
