/// One mistake, in the format that all of Forge's errors share.
///
/// ```
/// App/Net.swift:14:18: layer 4 "conv2" (Convolution): the output would be empty
///   received  2×2×20 (width×height×channels) from "pool1"
///   needs     width and height of at least 5 for a 5×5 kernel with padding .valid
/// ```
public struct Problem: Sendable {
  /// The layer of a problem, as messages name it.
  public struct LayerReference: Hashable, Sendable, CustomStringConvertible {
    /// The position in order of creation, from 1; inputs are not counted.
    public let position: Int
    /// The name, given or generated: `conv2`, `__MaxPool_3__`.
    public let name: String
    /// The layer's Swift type: `Convolution`.
    public let typeName: String

    /// Creates the reference of a layer.
    public init(position: Int, name: String, typeName: String) {
      self.position = position
      self.name = name
      self.typeName = typeName
    }

    /// The layer as messages name it: `layer 4 "conv2" (Convolution)`; an input has no position.
    public var description: String {
      let layer = "\"\(name.printable)\" (\(typeName))"
      return position > 0 ? "layer \(position) \(layer)" : layer
    }
  }

  /// The location of the layer in the user's source.
  public var place: SourcePlace?
  /// The layer the problem belongs to.
  public var layer: LayerReference?
  /// The file or folder, as the user named it.
  public var path: String?
  /// The object inside the file.
  public var entry: String?
  /// The parameter that was asked for; the text does not repeat it.
  public var parameter: ParameterSpec?
  /// The index of the operation in its graph, if the reference executor runs one.
  package var node: Int?
  /// What is wrong, as a clause without a full stop.
  public var headline: String
  /// What was received, what is needed, and a remedy, as labeled lines.
  public var details: [(label: String, text: String)]
  /// The underlying error, if there is one.
  public var cause: (any Error)?

  /// Creates a problem.
  public init(
    place: SourcePlace? = nil, layer: LayerReference? = nil, headline: String,
    details: [(label: String, text: String)] = [], cause: (any Error)? = nil
  ) {
    self.place = place
    self.layer = layer
    self.headline = headline
    self.details = details
    self.cause = cause
  }
}

extension Problem: CustomStringConvertible {
  /// The problem as text.
  ///
  /// What comes from files, such as names, is escaped: control characters, line breaks in names,
  /// and characters that turn the direction of writing or have no width.
  public var description: String {
    let operation = node.map { "operation \($0)" }
    let origin = [place?.description, layer?.description, path, entry, operation]
    var text = (origin.compactMap(\.self) + [headline]).map(\.printable).joined(separator: ": ")
    var lines = details
    // A cause that says the same as the headline is not repeated.
    if let cause, (cause as? ShapeError)?.headline != headline {
      let text = "\(cause)"
      // Bytes are compared, because texts of files can be slow to compare as texts.
      if !text.utf8.elementsEqual(headline.utf8) { lines.append(("cause", text)) }
    }
    for (label, value) in lines {
      // The labels stand in a column of ten characters.
      let pad = String(repeating: " ", count: max(10 - label.count, 1))
      // Further lines of a value are aligned with its first.
      let value = value.printableLines.unicodeScalars
        .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        .joined(separator: "\n            ")
      text += "\n  \(label)\(pad)\(value)"
    }
    return text
  }
}

extension Problem {
  /// The problem in one line, for messages of a compiler.
  ///
  /// ```
  /// layer 4 "conv2" (Convolution): the output would be empty; received 2×2×20 …; needs …
  /// ```
  package var line: String {
    description.split(separator: "\n").enumerated().map { index, line in
      let words = line.split(separator: " ").joined(separator: " ")
      // A line with a label begins a clause; a line without one continues a list.
      if index == 0 { return words }
      return (line.hasPrefix("   ") ? ", " : "; ") + words
    }.joined()
  }

  /// What was received.
  public var received: String? { text(labelled: "received") }
  /// What is needed.
  public var needs: String? { text(labelled: "needs") }
  /// What the user may do about it.
  public var remedy: String? { text(labelled: "remedy") }

  private func text(labelled label: String) -> String? {
    details.first { $0.label == label }?.text
  }
}
