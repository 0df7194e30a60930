import ForgeShapes

/// The sizes of a parameter of a ``Custom`` layer, outermost first.
///
/// ```swift
/// let sizes: ParameterSizes = [8, 3]                        // in the order of the file
/// let kernel: ParameterSizes = [.outputs: 8, .height: 3, .width: 3, .inputs: 4]
/// ```
/// Sizes alone are those of the file: the values are read as they are stored, whatever the layout
/// of the source. Sizes with the meaning of each axis are in Forge's order, and values are
/// rearranged from the layout of the source as those of Forge's own layers (see `ParameterSpec`).
///
/// A size may be `nil`, as that of a shape; the layer then needs an input whose size is known.
public struct ParameterSizes: Sendable {
  /// The axes of sizes alone by their number.
  private static let unnamedAxes: [[ParameterAxis]] = [
    [], [.channels], [.outputs, .inputs], [.height, .width, .channels],
    [.outputs, .height, .width, .inputs], [.outputs, .height, .width, .inputs, .channels],
    [.outputs, .height, .width, .inputs, .channels, .multiplier],
  ]

  /// The sizes.
  public let sizes: [Int?]
  /// The meaning of each axis; `nil` for sizes alone.
  public let axes: [ParameterAxis]?

  /// The specification of a parameter of these sizes.
  func spec(_ type: ParameterType) throws(ShapeError) -> ParameterSpec {
    let known = sizes.compactMap(\.self)
    guard known.count == sizes.count else {
      throw ShapeError(
        .unknownSize, "the \(type) have sizes that are not known", received: text,
        needs: "inputs of known size, or sizes that do not depend on them")
    }
    guard !sizes.isEmpty else {
      throw ShapeError(.invalidArgument, "the \(type) have no sizes", needs: "[1] for one value")
    }
    if let axes { return ParameterSpec(type, axes: axes, sizes: known) }
    guard Self.unnamedAxes.indices.contains(sizes.count) else {
      throw ShapeError(
        .invalidArgument, "the \(type) have too many axes", received: text,
        needs: "at most \(Self.unnamedAxes.count - 1) axes")
    }
    // The same order in every layout.
    let axes = Self.unnamedAxes[sizes.count]
    return ParameterSpec(type, axes: axes, sizes: known, keras: axes, pytorch: axes)
  }

  private var text: String {
    sizes.map { $0.map(String.init) ?? "?" }.joined(separator: "×")
  }
}

extension ParameterSizes: ExpressibleByArrayLiteral {
  /// Creates sizes alone.
  ///
  /// - Parameter sizes: the sizes in the order of the file, outermost first.
  public init(arrayLiteral sizes: Int?...) {
    self.sizes = sizes
    axes = nil
  }
}

extension ParameterSizes: ExpressibleByDictionaryLiteral {
  /// Creates sizes with the meaning of each axis.
  ///
  /// - Parameter sizes: the axes with their sizes in Forge's order, outermost first.
  public init(dictionaryLiteral sizes: (ParameterAxis, Int?)...) {
    self.sizes = sizes.map(\.1)
    axes = sizes.map(\.0)
  }
}
