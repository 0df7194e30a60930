import Forge

/// A model read from a file, and how its inputs and outputs are stored in the world of the file.
///
/// Forge's own tensors have no batch axis and the channels last. The tool and code that must speak
/// the file's language (NumPy files of the original program, comparisons) convert with ``Port``.
public struct ImportedModel: Sendable {
  /// One input or output.
  public struct Port: Sendable, Hashable {
    /// The name in the file, which is also its name in ``ImportedModel/model``.
    public let name: String
    /// The element type in the file.
    ///
    /// Forge computes in Float32.
    public let elementType: ElementType
    /// The sizes in the file, outermost first, batch included.
    public let sizes: [Int]
    /// For each axis of Forge's tensor the axis of the file; `nil` for an axis of size 1 that the
    /// file does not have.
    ///
    /// Axes of the file that are missing here have size 1.
    public let axes: [Int?]

    /// Creates a port.
    public init(name: String, elementType: ElementType = .float32, sizes: [Int], axes: [Int?]) {
      self.name = name
      self.elementType = elementType
      self.sizes = sizes
      self.axes = axes
    }
  }

  /// The network with its weights as parameter source.
  public let model: Model
  /// The inputs in the order of the model.
  public let inputs: [Port]
  /// The outputs in the order of the model.
  public let outputs: [Port]

  /// Creates an imported model.
  public init(model: Model, inputs: [Port], outputs: [Port]) {
    self.model = model
    self.inputs = inputs
    self.outputs = outputs
  }
}
