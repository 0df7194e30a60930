import CForgeKernels
import ForgeOperations
import ForgeShapes

/// What a node computes that is done by a convolution algorithm: a convolution, a depthwise one or
/// a dense layer.
struct ConvolutionProblem {
  /// The sort of operation.
  enum Kind {
    case convolution
    /// A group for each input channel.
    case depthwise
    /// The convolution whose kernel is the whole image.
    case dense
  }

  /// The sort of operation.
  let kind: Kind
  /// The window.
  let geometry: ConvolutionGeometry
  /// The image that is read and the one that is made: height, width, channels.
  let input, output: [Int]
  /// The groups of channels.
  let groups: Int
  /// Whether the input is one of the model's, which is there in row-major order, and nothing is
  /// added to the sums.
  let readsModelInput: Bool
  /// Whether the input is read as one pixel of all its elements.
  let readsVector: Bool
  /// What is chosen by besides.
  let settings: PlanSettings

  /// The convolution that a node of a bound graph computes; `nil` for other operations.
  init?(_ node: OperationGraph.Node, of graph: OperationGraph, _ settings: PlanSettings) {
    guard let source = node.inputs.first else { return nil }
    self.settings = settings
    let input = graph.imageSizes(of: source)
    output = graph.imageSizes(of: node.output)
    readsModelInput = graph.inputs.contains(source) && node.residual == nil
    if case .convolution(let geometry, _, let groups) = node.primitive {
      (kind, self.geometry, self.input, self.groups) = (.convolution, geometry, input, groups)
      readsVector = false
    } else if case .depthwiseConvolution(let geometry, _) = node.primitive {
      (kind, self.geometry, self.input, self.groups) = (.depthwise, geometry, input, input[2])
      readsVector = false
    } else if case .dense = node.primitive {
      kind = .dense
      groups = 1
      readsVector = !graph.shape(of: source).isImage || Self.hasGapsInBlocks(input)
      self.input = readsVector ? [1, 1, input.reduce(1, *)] : input
      geometry = ConvolutionGeometry(
        kernel: Size(width: self.input[1], height: self.input[0]))
    } else {
      return nil
    }
  }

  /// Whether an image has several pixels and empty lanes in each.
  ///
  /// A dense layer's weights, which are streamed from far away, would have as many gaps.
  private static func hasGapsInBlocks(_ sizes: [Int]) -> Bool {
    sizes[0] * sizes[1] > 1 && !sizes[2].isMultiple(of: PlannedTensor.lanes)
  }

  /// The input channels of each group.
  var inputs: Int { input[2] / groups }
  /// The output channels of each group.
  var outputs: Int { output[2] / groups }
  /// The pixels that are made.
  var outputPixels: Int { output[0] * output[1] }
  /// The taps of the window.
  var taps: Int { geometry.kernel.width * geometry.kernel.height }
  /// The number of weights of each group.
  var weightCount: Int { outputs * taps * inputs }

  /// Whether the output is one pixel in every plan that shares the packed weights.
  var isOfOnePixel: Bool {
    outputPixels == 1 && (kind == .dense || settings.sizesAreFixed)
  }

  /// Whether something else than options and sizes decides about the algorithm: an estimate, or a
  /// measurement.
  var isTunable: Bool {
    kind == .convolution && groups == 1 && geometry.dilation == .one
      && settings.preference == .speed && settings.level.facts.has_vectors != 0
  }

  /// The output channels per panel of weights, where nothing else is asked for.
  var panelWidth: Int {
    Panels.width(
      outputs: outputs, threads: settings.threadsSharingPanels(pixels: outputPixels))
  }
}

extension OperationGraph {
  /// The sizes of a value as an image: those of fewer axes have height and width 1 in front.
  func imageSizes(of value: Value) -> [Int] {
    let sizes = shape(of: value).sizes ?? []
    return Array(repeating: 1, count: max(3 - sizes.count, 0)) + sizes
  }
}
