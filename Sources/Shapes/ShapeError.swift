/// A rule of shapes that a layer's arguments or inputs break.
///
/// It knows neither the layer's name nor its place; the graph adds both and the shapes received
/// (see ``Problem``).
public struct ShapeError: Error, Hashable, Sendable {
  /// What kind of rule was broken.
  public enum Kind: String, Hashable, Sendable {
    /// A layer needs a size that is not known before prediction.
    case unknownSize
    /// The output would have no elements.
    case emptyOutput
    /// A pooling window does not fit into its input.
    case kernelLargerThanInput
    /// Inputs do not fit together, or an input has another shape than the layer takes.
    case shapeMismatch
    /// Channels cannot be dealt out evenly to groups.
    case channelsNotDivisible
    /// An argument is not positive, negative, or out of range.
    case invalidArgument
    /// A product of sizes is larger than any tensor may be.
    case tooLarge
    /// The layer takes another number of inputs.
    case wrongInputCount
    /// The user's own rule of a `Custom` layer threw.
    case customRule
  }

  /// What kind of rule was broken.
  public let kind: Kind
  /// What is wrong, in a clause without a full stop.
  public let headline: String
  /// What the layer received, when the inputs' shapes alone do not say it.
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
  /// The error in Forge's voice, without the layer it belongs to.
  public var description: String {
    Problem.text(headline: headline, details: details)
  }

  /// The labelled lines under the headline.
  public var details: [(label: String, text: String)] {
    [("received", received), ("needs", needs), ("remedy", remedy)]
      .compactMap { label, text in text.map { (label, $0) } }
  }
}
