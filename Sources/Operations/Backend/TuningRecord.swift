/// The kernels chosen for the convolutions of a model, for reuse in a later compile.
///
/// ```swift
/// let measured = try model.compile(parameters: source, options: .init(tuning: .measured))
/// let record = measured.report.tuning.record  // Codable, for example as JSON
/// let again = try model.compile(parameters: source, options: .init(tuning: .recorded(record)))
/// ```
///
/// A choice belongs to the sizes of a convolution, not to a layer name. Layers of the same sizes
/// share a choice, and a record remains valid if layers are renamed or added.
public struct TuningRecord: Sendable, Hashable, Codable {
  /// The sizes of a convolution, as numbers separated by `x`.
  public struct Convolution: Sendable, Hashable, Codable {
    /// The input size: width x height x channels, for example `52x52x64`.
    public let input: String
    /// The output size: width x height x channels.
    public let output: String
    /// The kernel size: width x height.
    public let kernel: String
    /// The strides: x, then y.
    public let stride: String

    /// Creates the sizes of a convolution.
    public init(input: String, output: String, kernel: String, stride: String) {
      self.input = input
      self.output = output
      self.kernel = kernel
      self.stride = stride
    }
  }

  /// A kernel with its parameters.
  ///
  /// All parts except the name are optional, so that an edited record or one of another Forge
  /// version can be decoded. A compile reports what does not fit.
  public struct Kernel: Sendable, Hashable, Codable {
    /// The name of the algorithm as in reports, for example `direct`.
    public let name: String
    /// The output channels per panel of packed weights: 16, 32, 48 or 64.
    public let panelWidth: Int?
    /// The size of an output tile, width x height, if the algorithm works on tiles.
    public let tile: String?
    /// The channels that are summed before tiles are transformed back.
    public let summedChannels: Int?
    /// The number of segments of the image, if the algorithm divides it.
    public let segments: Int?
    /// The levels of recursion, if more than one: 2.
    public let levels: Int?

    /// Creates a kernel; the name is not checked.
    public init(
      name: String, panelWidth: Int?, tile: String? = nil, summedChannels: Int? = nil,
      segments: Int? = nil, levels: Int? = nil
    ) {
      self.name = name
      self.panelWidth = panelWidth
      self.tile = tile
      self.summedChannels = summedChannels
      self.segments = segments
      self.levels = levels
    }
  }

  /// The kernel of a convolution.
  public struct Choice: Sendable, Hashable, Codable {
    /// The convolution.
    public let convolution: Convolution
    /// The kernel.
    public let kernel: Kernel

    /// Creates a choice.
    public init(convolution: Convolution, kernel: Kernel) {
      self.convolution = convolution
      self.kernel = kernel
    }
  }

  /// The current version of the record format.
  public static let currentVersion = 1

  /// The format version of this record.
  public let version: Int
  /// The name of the instruction set whose kernels were chosen.
  ///
  /// Another instruction set has other costs and other rounding.
  public let instructionSet: String
  /// The threads of a prediction that the choices were made for.
  ///
  /// A record can be used with any number of threads. Results are bit-identical.
  public let threads: Int
  /// The choices, in the order of the model's layers.
  ///
  /// Convolutions for which their sizes or options leave only one kernel are omitted.
  public let choices: [Choice]

  /// Creates a record.
  public init(
    instructionSet: String, threads: Int, choices: [Choice],
    version: Int = TuningRecord.currentVersion
  ) {
    self.version = version
    self.instructionSet = instructionSet
    self.threads = threads
    self.choices = choices
  }
}

extension TuningRecord.Convolution: CustomStringConvertible {
  /// The sizes in one line: `3x3 stride 1x1, 52x52x64 to 52x52x128`.
  public var description: String { "\(kernel) stride \(stride), \(input) to \(output)" }
}

extension TuningRecord.Kernel: CustomStringConvertible {
  /// The name and the parameters: `direct panel 64`.
  public var description: String {
    let parts = [
      tile.map { "tile \($0)" }, summedChannels.map { "summed \($0)" },
      levels.map { "levels \($0)" }, segments.map { "segments \($0)" },
      panelWidth.map { "panel \($0)" },
    ]
    return ([name] + parts.compactMap(\.self)).joined(separator: " ")
  }
}
