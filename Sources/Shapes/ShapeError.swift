/// A shape rule that a layer's arguments or inputs violate.
///
/// It includes neither the layer's name nor its location; the graph adds both and the received
/// shapes (see ``Problem``).
public struct ShapeError: Error, Hashable, Sendable {
  /// The kinds of violated rules.
  public enum Kind: String, Hashable, Sendable {
    /// A layer needs a size that is not known before prediction.
    case unknownSize
    /// The output would have no elements.
    case emptyOutput
    /// A pooling window does not fit into its input.
    case kernelLargerThanInput
    /// Inputs do not fit together, or the shape of an input is not what the layer takes.
    case shapeMismatch
    /// Channels cannot be divided evenly into groups.
    case channelsNotDivisible
    /// An argument is zero or negative where that is not allowed, or out of range.
    case invalidArgument
    /// A product of sizes is larger than any tensor may be.
    case tooLarge
    /// The number of inputs is not what the layer takes.
    case wrongInputCount
    /// The shape rule of a `Custom` layer threw.
    case customRule
  }

  /// The kind of violated rule.
  public let kind: Kind
  /// What is wrong, as a clause without a full stop.
  public let headline: String
  /// What the layer received, if the inputs' shapes alone do not show it.
  public let received: String?
  /// What the layer needs.
  public let needs: String?
  /// What the user may do about it.
  public let remedy: String?

  /// Creates an error; the wording of Forge's own rules is in `ShapeError+Wording.swift`.
  public init(
    _ kind: Kind, _ headline: String, received: String? = nil, needs: String? = nil,
    remedy: String? = nil
  ) {
    self.kind = kind
    self.headline = headline
    self.received = received
    self.needs = needs
    self.remedy = remedy
  }
}

extension ShapeError: CustomStringConvertible {
  /// The error as text, without its layer.
  public var description: String {
    Problem.text(headline: headline, details: details)
  }

  /// The labelled lines under the headline.
  public var details: [(label: String, text: String)] {
    [("received", received), ("needs", needs), ("remedy", remedy)]
      .compactMap { label, text in text.map { (label, $0) } }
  }
}
