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
    /// The sizes in the file, outermost first, batch included: 1 for an open batch and where
    /// ``batchSize`` has its size.
    public let sizes: [Int]
    /// For each axis of Forge's tensor the axis of the file; `nil` for an axis of size 1 that the
    /// file does not have.
    ///
    /// Axes of the file that are missing here have size 1.
    public let axes: [Int?]

    /// The axes of the file whose size each prediction chooses: those that follow the length of a
    /// sequence, and open ones; ``sizes`` has the largest sizes.
    public internal(set) var lengthAxes: [Int]
    /// The number of examples that the file fixes, where the model computes one of them.
    ///
    /// A file whose images are [32, 3, 320, 320] has the port sizes [1, 3, 320, 320] and a batch
    /// size of 32. Such a model predicts any number of examples, each by itself, with the numbers
    /// that the file has for it. It is `nil` for files that combine their examples, such as by a
    /// mean over the batch: their ``sizes`` and their model have all of them. To import the whole
    /// batch, state it in ``ImportOptions/sizes``.
    public internal(set) var batchSize: Int?
    /// Where the examples of an open or fixed batch are; `nil` if the file has none.
    package var examples: Examples?
    /// The axis whose entries are chosen by values, so each prediction has another number.
    public internal(set) var rows: Rows?

    /// The examples of an output of a file with an open batch.
    package enum Examples: Hashable, Sendable {
      /// They follow each other along an axis.
      case along(Int)
      /// All have the same values.
      case shared
    }

    /// The rows of an output that values choose, as `NonMaxSuppression` and `NonZero` do.
    ///
    /// The network's tensor has the largest number of rows. The chosen ones come first.
    public struct Rows: Sendable, Hashable {
      /// The axis of the file.
      public let axis: Int
      /// The name of the output of ``ImportedModel/model`` that holds the number of rows.
      public let countName: String
      /// How many entries of the axis each row has, usually 1.
      public let entries: Int
    }
    /// What the file says about it, such as the order of the colors; `nil` for nothing.
    ///
    /// It is ONNX's `doc_string` and Core ML's `shortDescription`. Forge does not interpret it.
    public internal(set) var about: String?

    /// Creates a port.
    public init(
      name: String, elementType: ElementType = .float32, sizes: [Int], axes: [Int?],
      lengthAxes: [Int] = [], about: String? = nil
    ) {
      self.name = name
      self.elementType = elementType
      self.sizes = sizes
      self.axes = axes
      self.lengthAxes = lengthAxes
      self.about = about
    }

    /// The axes whose size follows the length, given the tensor of Forge.
    static func lengthAxes(of tensor: Tensor, _ axes: [Int?]) -> [Int] {
      guard tensor.lengths.maximum != nil, let sizes = tensor.lengthSizes else { return [] }
      return zip(axes, sizes).compactMap { $1.constant == nil ? $0 : nil }.sorted()
    }

    /// The sizes for messages: `1×..512×384` where the second one follows the length of a sequence.
    package var sizesText: String {
      guard !lengthAxes.isEmpty else { return StoredTensor.text(of: sizes) }
      return sizes.enumerated().map { lengthAxes.contains($0) ? "..\($1)" : "\($1)" }
        .joined(separator: "×")
    }
  }

  /// An output that no input changes, such as the shape of a tensor.
  public struct Constant: Sendable, Hashable {
    /// The name in the file.
    public let name: String
    /// The values with the sizes and the element type of the file.
    public let values: StoredTensor

    /// Creates a constant.
    public init(name: String, values: StoredTensor) {
      self.name = name
      self.values = values
    }
  }

  /// The network with its weights as parameter source.
  ///
  /// It has no outputs if all outputs of the file are ``constants``.
  public package(set) var model: Model
  /// The inputs in the order of the model.
  public internal(set) var inputs: [Port]
  /// The outputs in the order of the model, which may have numbers of rows after them; see
  /// ``Port/rows``.
  public internal(set) var outputs: [Port]
  /// The sizes that the import has assumed where the file leaves them open, by the names of inputs,
  /// in the order of the file; see ``ImportOptions/largestOpenSize``.
  public internal(set) var assumedSizes: [String: [InputSize]] = [:]
  /// How to read the boxes of a detector of Darknet; empty for other networks.
  package internal(set) var detections: [DarknetDetection] = []
  /// The outputs of the file that are not outputs of the model, because their values are known.
  public let constants: [Constant]
  /// The inputs of the file that are not inputs of the model, because no output depends on them.
  public let ignoredInputs: [String]

  /// Creates an imported model.
  ///
  /// - Parameters:
  ///   - model: the network with its weights.
  ///   - inputs: the inputs in the order of the model.
  ///   - outputs: the outputs in the order of the model.
  ///   - constants: the outputs of the file whose values are known.
  ///   - ignoredInputs: the inputs of the file that nothing depends on.
  public init(
    model: Model, inputs: [Port], outputs: [Port], constants: [Constant] = [],
    ignoredInputs: [String] = []
  ) {
    self.model = model
    self.inputs = inputs
    self.outputs = outputs
    self.constants = constants
    self.ignoredInputs = ignoredInputs
  }
}

extension ImportedModel.Port: CustomStringConvertible {
  /// The port in one line: `image 1×3×224×224 float32, axes 2, 3, 1`.
  ///
  /// The numbers are ``axes``; `–` stands for an axis that the file does not have. A
  /// ``batchSize`` follows them: `, batches of 32`.
  public var description: String {
    let axes = axes.map { $0.map(String.init) ?? "–" }.joined(separator: ", ")
    let batch = batchSize.map { ", batches of \($0)" } ?? ""
    return "\(name.printable) \(sizesText) \(elementType.rawValue), axes \(axes)\(batch)"
  }
}
