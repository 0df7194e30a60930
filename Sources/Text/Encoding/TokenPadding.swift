/// How encodings are filled up to a length.
public struct TokenPadding: Sendable, Hashable {
  /// The length to fill up to; that of the longest encoding of a batch if there is none.
  public var length: Int?
  /// A number whose multiples the length is rounded up to; none if 0.
  public var multiple: Int
  /// The side that is filled.
  public var side: TextSide
  /// The id of padding.
  public var id: Int32
  /// The type of padding.
  public var typeID: Int32
  /// The token of padding.
  public var token: String

  /// The longest padding that is made.
  private static let maximumLength = 1 << 20

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - length: the length to fill up to; that of the longest encoding of a batch if `nil`.
  ///   - multiple: a number whose multiples the length is rounded up to; none if 0.
  ///   - side: the side that is filled.
  ///   - id: the id of padding.
  ///   - typeID: the type of padding.
  ///   - token: the token of padding.
  public init(
    length: Int? = nil, multiple: Int = 0, side: TextSide = .right, id: Int32 = 0,
    typeID: Int32 = 0, token: String = "[PAD]"
  ) {
    (self.length, self.multiple, self.side) = (length, max(0, multiple), side)
    (self.id, self.typeID, self.token) = (id, typeID, token)
  }

  /// Fills up the encodings of a batch.
  func apply(_ encodings: inout [TokenizedText]) {
    var target = length ?? encodings.map(\.count).max() ?? 0
    target = min(target, Self.maximumLength)
    if multiple > 0, multiple <= Self.maximumLength, target % multiple > 0 {
      target += multiple - target % multiple
    }
    for index in encodings.indices { encodings[index].pad(to: target, self) }
  }
}
