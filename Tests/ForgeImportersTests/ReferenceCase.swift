import ForgeTestSupport

/// The inputs of a small model and what another runtime computes from them.
struct ReferenceCase: Decodable {
  struct Input: Decodable {
    let sizes: [Int]
    let seed: UInt64
    let low: Float
    let high: Float
    /// Whether values are rounded down; `nil` if they are not.
    let whole: Bool?

    var values: [Float] {
      let values = seededValues(count: sizes.reduce(1, *), seed: seed, range: low...high)
      return whole == true ? values.map { $0.rounded(.down) } : values
    }
  }

  struct Output: Decodable {
    let sizes: [Int]
    @Numbers var values: [Float]
  }

  let inputs: [String: Input]
  let outputs: [String: Output]
}
