/// The inputs that a network of the Hub takes beside the ids of the tokens.
public struct HubInputs: OptionSet, Hashable, Sendable {
  /// The bit mask.
  public let rawValue: Int

  /// Creates a set from its bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `token_type_ids`, [length]: which text of a pair a token belongs to.
  ///
  /// Architectures without types of tokens have no such input.
  public static let types = HubInputs(rawValue: 1)
  /// `attention_mask`, [length]: 1 for tokens, 0 for padding.
  ///
  /// Forge's sequences need no padding: the network takes any length. The mask serves programs that
  /// have padded texts already.
  public static let mask = HubInputs(rawValue: 2)
}
