import CForgeKernels
import Testing

/// Whether any of many numbers is denormal.
@Suite struct DenormalScanTests {
  @Test func everyPlace() {
    for count in [0, 1, 7, 4095, 4096, 4097, 8191, 12_289] {
      var values = [Float](repeating: 1, count: count)
      #expect(forge_has_denormals(values, Int64(count)) == 0, "\(count)")
      for place in Set([0, count / 2, 4095, 4096, count - 1]) where values.indices.contains(place) {
        for value in [.leastNonzeroMagnitude, -0x1p-127, Float.leastNormalMagnitude.nextDown] {
          values[place] = value
          let found = forge_has_denormals(values, Int64(count))
          #expect(found == 1, "\(value) at \(place) of \(count)")
        }
        values[place] = 1
      }
    }
  }

  @Test func otherNumbers() {
    let values: [Float] = [
      0, -0.0, .leastNormalMagnitude, -.leastNormalMagnitude, .infinity, -.infinity, .nan,
      .greatestFiniteMagnitude, Float(bitPattern: 0xFFFF_FFFF),
    ]
    #expect(forge_has_denormals(values, Int64(values.count)) == 0)
  }
}
