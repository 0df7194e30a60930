import CForgeKernels
import ForgeOperations
import ForgeShapes

/// The computation of a node that a convolution algorithm performs: a convolution, a depthwise
/// convolution or a dense layer.
struct ConvolutionProblem {
  /// The kind of operation.
  enum Kind {
    case convolution
    /// One group per input channel.
    case depthwise
    /// A convolution whose kernel covers the whole image.
    case dense
  }

  let kind: Kind
  /// The kernel, stride, dilation and padding.
  let geometry: ConvolutionGeometry
  /// The sizes of the input and output images: height, width, channels.
  let input, output: [Int]
  let groups: Int
  /// Whether the input is a model input, available in row-major order, and the node has no
  /// residual.
  let readsModelInput: Bool
  /// Whether the input is read as one pixel that contains all elements.
  let readsVector: Bool
  /// Whether a pooling follows that the step can include.
  ///
  /// It counts with `fusePooling` disabled too, so that the rewrite keeps results bit-identical.
  var precedesPooling = false
  /// The other settings that the choice depends on.
  let settings: PlanSettings

  /// Creates the problem of a node of a bound graph; `nil` for other operations.
  init?(_ node: OperationGraph.Node, of graph: OperationGraph, _ settings: PlanSettings) {
    guard let source = node.inputs.first else { return nil }
    self.settings = settings
    let input = graph.imageSizes(of: source)
    output = graph.imageSizes(of: node.output)
    let isInput = if case .input = graph.origins[source.index] { true } else { false }
    readsModelInput = isInput && node.residual == nil
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
  /// The weights of a dense layer would need the same gaps, and reading them is what takes the
  /// time.
  private static func hasGapsInBlocks(_ sizes: [Int]) -> Bool {
    sizes[0] * sizes[1] > 1 && !sizes[2].isMultiple(of: PlannedTensor.lanes)
  }

  /// The input channels per group.
  var inputs: Int { input[2] / groups }
  /// The output channels per group.
  var outputs: Int { output[2] / groups }
  /// Whether every output depends on all inputs.
  var isUngrouped: Bool { kind != .depthwise && groups == 1 }
  var outputPixels: Int { output[0] * output[1] }
  var taps: Int { geometry.kernel.width * geometry.kernel.height }
  /// The number of weights per group.
  var weightCount: Int { outputs * taps * inputs }

  /// Whether the output is one pixel in every plan that shares the packed weights.
  var isOfOnePixel: Bool {
    outputPixels == 1 && (kind == .dense || settings.sizesAreFixed)
  }

  /// Whether the cost model or a measurement chooses the algorithm, rather than options and sizes
  /// alone.
  var isTunable: Bool {
    kind == .convolution && groups == 1 && geometry.dilation == .one
      && settings.preference == .speed && settings.level.facts.has_vectors != 0
  }

  /// Whether no output of a sequence, an image of one row, reads an input that comes after it.
  ///
  /// Then later inputs must not disturb earlier outputs, not even by rounding errors.
  var isCausal: Bool {
    let edges = geometry.edges(width: input[1], height: input[0])
    let reach = (geometry.kernel.width - 1) * geometry.dilation.width
    return input[0] == 1 && geometry.kernel.height == 1 && reach > 0
      && edges.left == reach && edges.right == 0
  }

  /// The default number of output channels per panel of weights.
  var panelWidth: Int {
    Panels.width(
      outputs: outputs, threads: settings.threadsSharingPanels(pixels: outputPixels))
  }
}

extension OperationGraph {
  /// Returns the sizes of a value as an image; missing leading axes are 1.
  func imageSizes(of value: Value) -> [Int] {
    let sizes = shape(of: value).sizes ?? []
    return Array(repeating: 1, count: max(3 - sizes.count, 0)) + sizes
  }
}
