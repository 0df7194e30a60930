/// The kernels that were chosen for the convolutions of a model, to be given back to a later
/// compile.
///
/// ```swift
/// let measured = try model.compile(parameters: weights, options: .init(tuning: .measured))
/// let record = measured.report.tuning.record          // Codable: it may be kept as JSON
/// let again = try model.compile(parameters: weights, options: .init(tuning: .recorded(record)))
/// ```
///
/// A choice goes with the sizes of a convolution, not with the name of a layer: layers of the same
/// sizes share one, and a record stays good when layers are renamed or other layers are added.
public struct TuningRecord: Sendable, Hashable, Codable {
  /// The sizes of a convolution, as texts of numbers with an x between them.
  public struct Convolution: Sendable, Hashable, Codable {
    /// The input, as width x height x channels: `52x52x64`.
    public let input: String
    /// The output, as width x height x channels.
    public let output: String
    /// The kernel, as width x height.
    public let kernel: String
    /// The steps in x and y.
    public let stride: String

    /// The convolution of these sizes.
    public init(input: String, output: String, kernel: String, stride: String) {
      self.input = input
      self.output = output
      self.kernel = kernel
      self.stride = stride
    }
  }

  /// A kernel with its parameters.
  ///
  /// Every part but the name may be missing, so that a record which was altered, or written by
  /// another version of Forge, can be read: a compile says what is wrong with it.
  public struct Kernel: Sendable, Hashable, Codable {
    /// The name of the algorithm, as reports have it: `direct` for plain sums.
    public let name: String
    /// The output channels per panel of packed weights: 16, 32, 48 or 64.
    public let panelWidth: Int?
    /// The outputs that are computed together, as width x height, where an algorithm works on
    /// tiles.
    public let tile: String?
    /// The channels that are summed before tiles are transformed back.
    public let summedChannels: Int?
    /// Into how many parts an image is cut, where the algorithm works on parts.
    public let segments: Int?
    /// How often the algorithm is applied to its own parts, where it is more than once: 2.
    public let levels: Int?

    /// A kernel of any name.
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
    /// Its kernel.
    public let kernel: Kernel

    /// The choice of a kernel for a convolution.
    public init(convolution: Convolution, kernel: Kernel) {
      self.convolution = convolution
      self.kernel = kernel
    }
  }

  /// The version of the form in which records are written.
  public static let currentVersion = 1

  /// The version of the form in which the record was written.
  public let version: Int
  /// The name of the instruction set whose kernels were chosen; others have other costs and other
  /// bits.
  public let instructionSet: String
  /// The threads of a prediction that the choice was made for.
  ///
  /// A record may be given back to a compile for any number of threads, with the same bits.
  public let threads: Int
  /// The choices, in the order in which the model has them.
  ///
  /// Convolutions that have one kernel only, for their sizes or their options, are left out.
  public let choices: [Choice]

  /// A record of choices.
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
