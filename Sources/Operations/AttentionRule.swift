import ForgeShapes

/// How the queries of attention weigh keys.
public struct AttentionRule: Hashable, Sendable, Encodable {
  /// What the fourth operand, broadcast to [batch][heads][queries][keys], is.
  ///
  /// The keys of a stream are all positions of its tables.
  public enum Mask: Hashable, Sendable, Encodable {
    /// There is none.
    case none
    /// A number added to each score; −∞ hides a key.
    case added
    /// 0 for each key that is hidden from a query.
    case visible
  }

  /// The number of heads of the queries.
  public let heads: Int
  /// The number of heads of the keys and values; it divides `heads`.
  public let groups: Int
  /// The factor of products of queries and keys; `1/√(channels of a head)` if `nil`.
  public let scale: Float?
  /// Query `t` sees the keys up to `t` + this number; all of them if `nil`.
  public let causalOffset: Int?
  /// A score `s` becomes `cap·tanh(s/cap)`; it stays if `nil`.
  public let cap: Float?
  /// What the fourth operand is.
  public let mask: Mask
  /// Whether keys and values are tables [positions][channels], and the last operand is the position
  /// of the first query in them: query `t` sees the keys up to `causalOffset` + position + `t`.
  public let hasPosition: Bool

  /// Creates a rule.
  public init(
    heads: Int, groups: Int? = nil, scale: Float? = nil, causalOffset: Int? = nil,
    cap: Float? = nil, mask: Mask = .none, hasPosition: Bool = false
  ) {
    self.heads = heads
    self.groups = groups ?? heads
    self.scale = scale
    self.causalOffset = causalOffset
    self.cap = cap
    self.mask = mask
    self.hasPosition = hasPosition
  }

  /// The same rule for keys and values that are kept in tables.
  package var withPosition: AttentionRule {
    AttentionRule(
      heads: heads, groups: groups, scale: scale, causalOffset: causalOffset, cap: cap, mask: mask,
      hasPosition: true)
  }

  /// The same rule for queries of which those before a position are left out.
  func forQueries(from position: Int) -> AttentionRule {
    AttentionRule(
      heads: heads, groups: groups, scale: scale,
      causalOffset: causalOffset.map { $0.addingSaturated(position) }, cap: cap, mask: mask,
      hasPosition: hasPosition)
  }

  /// Checks the arguments.
  package func validate() throws(ShapeError) {
    try ArgumentRule.positive(heads, "heads")
    try ArgumentRule.positive(groups, "keyValueHeads")
    try ArgumentRule.require(
      heads.isMultiple(of: groups), "keyValueHeads", "\(groups)", needs: "a divisor of \(heads)")
    guard !hasPosition || causalOffset != nil else { throw .cacheNeedsCausal() }
    if let scale {
      try ArgumentRule.require(scale.isFinite, "scale", "\(scale)", needs: "a finite number")
    }
    if let cap {
      try ArgumentRule.require(
        cap.isFinite && cap > 0, "cap", "\(cap)", needs: "a finite number above 0")
    }
  }
}
