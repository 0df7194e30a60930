import ForgeShapes

/// The states of a network's layers at one moment of a stream.
///
/// ``ContextState/saved(example:)`` and a session of a runner return them.
///
/// A state can be encoded, to go on in another process with the same network:
/// ```swift
/// import Foundation
///
/// let caller = try runner.session()
/// let saved = await caller.saved()
/// let file = try JSONEncoder().encode(saved)
/// try await caller.restore(JSONDecoder().decode(SavedState.self, from: file))
/// ```
/// JSON keeps every bit of a finite number. NaN and infinities need a strategy of the encoder.
public struct SavedState: Hashable, Sendable {
  /// The names of the states, such as `gru1.hidden`, in the order of the layers.
  public let names: [String]
  /// The values of each state with their sizes.
  public let values: [TensorValues]

  init(names: [String], values: [TensorValues]) {
    (self.names, self.values) = (names, values)
  }

  /// The values of a state; `nil` if there is none of this name.
  ///
  /// - Parameter name: the name.
  public subscript(name: String) -> TensorValues? {
    names.firstIndex(of: name).map { values[$0] }
  }

  /// Names and sizes as messages have them.
  static func text(_ names: [String], _ shapes: [Shape]) -> String {
    guard !names.isEmpty else { return "no states" }
    let shown = zip(names, shapes).prefix(4).map { "\"\($0)\" (\($1.sizeText))" }
    return (shown + (names.count > 4 ? ["…"] : [])).joined(separator: ", ")
  }
}

extension SavedState: Codable {
  /// One state in a file.
  private struct Entry: Codable {
    let name: String
    let sizes: [Int]
    let values: [Float]
  }

  /// Writes a list with the name, the sizes and the values of each state.
  ///
  /// - Parameter encoder: the encoder.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    let entries = zip(names, values).map { name, tensor in
      Entry(name: name, sizes: tensor.shape.dimensions.map { $0 ?? 0 }, values: tensor.values)
    }
    var container = encoder.singleValueContainer()
    try container.encode(entries)
  }

  /// Reads what ``encode(to:)`` has written.
  ///
  /// - Parameter decoder: the decoder.
  /// - Throws: `DecodingError` when the number of values is not the product of the sizes, and what
  ///   the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let entries = try container.decode([Entry].self)
    for entry in entries where Shape.product(of: entry.sizes) != entry.values.count {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "state \"\(entry.name)\" has \(entry.values.count) values for the sizes "
          + "\(entry.sizes)")
    }
    self.init(
      names: entries.map(\.name),
      values: entries.map { TensorValues(shape: Shape(sizes: $0.sizes), values: $0.values) })
  }
}
