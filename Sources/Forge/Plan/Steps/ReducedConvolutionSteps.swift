import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A convolution whose weights are not Float32, after the steps that bring its input to words.
  ///
  /// It reads no border, but for kernels of one pixel, whose one window must lie in the image or its border.
  mutating func addReduced(
    _ kernel: ReducedKernel, _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry,
    source: ID, target: ID, residual: ID?, panelWidth: Int
  ) throws {
    let (inputs, outputs) = (tensor(source).channels, tensor(target).channels)
    let taps = geometry.kernel.width * geometry.kernel.height
    let weights = try packedReduced(
      kernel, node.inputs[1], geometry.kernel, inputs: inputs, outputs: outputs,
      panelWidth: panelWidth)
    let bias = try packedBias(node, count: AlignedMemory.round(outputs, to: panelWidth))
    let window = Window(geometry, input: tensor(source))
    let words = addWords(kernel, geometry, of: source, output: tensor(target))
    let isFlat = !kernel.isOfOnePixel && geometry.isPointwise
    let segments = segments(of: target, isFlat: isFlat, outputs: outputs, panelWidth: panelWidth)
    let activation = node.activation
    let run = require(kernel.convolution(precisionKernels))
    let read = words.map { [$0.words] + ($0.range.map { [$0] } ?? []) } ?? [source]
    addStep(
      "\(kernel.name) convolution \(geometry.kernel.text) panel \(panelWidth)",
      reads: read + (residual.map { [$0] } ?? []), writes: [target],
      multiplyAdds: Self.saturatingProduct([tensor(target).count, taps, inputs]),
      parameterCount: outputs * taps * inputs * kernel.weightBytes / MemoryLayout<Float>.stride,
      firstWeights: FirstWeights(
        start: weights.values,
        count: taps * AlignedMemory.round(inputs, to: PlannedTensor.lanes) * panelWidth
          * kernel.weightBytes / MemoryLayout<Float>.stride)
    ) { places in
      var arguments = forge_reduced_convolution_arguments()
      arguments.in = words?.view(places, isFlat: isFlat) ?? places.view(source)
      arguments.out = places.view(target)
      arguments.weights = UnsafeRawPointer(weights.values)
      arguments.bias = bias
      arguments.scales = weights.scales
      arguments.totals = weights.totals
      arguments.set(window)
      arguments.panel_width = Int32(clamping: panelWidth)
      arguments.segments = Int32(clamping: segments)
      arguments.flat = isFlat ? 1 : 0
      if let range = words?.range { arguments.range = places.view(range) }
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      return KernelCall(
        run, arguments, tiles: forge_reduced_convolution_tiles,
        parts: (isFlat ? 1 : Int(arguments.out.height)) * segments)
    }
  }

  /// The steps that bring an image to words with the border a convolution reads; none for kernels of one pixel.
  private mutating func addWords(
    _ kernel: ReducedKernel, _ geometry: ConvolutionGeometry, of source: ID, output: PlannedTensor
  ) -> ImageWords? {
    guard !kernel.isOfOnePixel else { return nil }
    let image = tensor(source)
    let border = HaloNeeds.border(
      geometry, input: Size(width: image.width, height: image.height),
      output: Size(width: output.width, height: output.height))
    let perBlock = PlannedTensor.lanes / kernel.channelsPerWord
    let height = border.top + image.height + border.bottom
    let width = border.left + image.width + border.right
    let words = addPlain([height, width, image.blocks * perBlock])
    let range =
      kernel == .quads
      ? addPlain([Int(forge_byte_range_floats(Int64(image.height), Int64(image.channels)))]) : nil
    let result = ImageWords(
      words: words, range: range, image: image, border: border, perBlock: perBlock)
    let arguments = { (places: TensorPlaces) in
      var arguments = forge_words_arguments()
      arguments.in = places.view(source)
      arguments.out = result.view(places, isFlat: false)
      arguments.top = Int32(clamping: border.top)
      arguments.left = Int32(clamping: border.left)
      arguments.bottom = Int32(clamping: border.bottom)
      arguments.right = Int32(clamping: border.right)
      if let range { arguments.range = places.view(range) }
      return arguments
    }
    let run = require(kernel.input(precisionKernels))
    if let range {
      let find = require(precisionKernels.byte_range)
      addStep("int8 range", reads: [source], writes: [range]) { places in
        KernelCall(
          find, arguments(places), tiles: forge_byte_range_tiles, parts: image.height)
      }
    }
    addStep(
      "\(kernel.name) input", reads: [source],
      writes: [words] + (range.map { [$0] } ?? [])
    ) { places in
      KernelCall(run, arguments(places), tiles: forge_words_tiles, parts: height)
    }
    return result
  }

  /// Packed weights with what goes before them.
  private struct ReducedWeights {
    let values: UnsafePointer<Float>?
    let scales: UnsafePointer<Float>?
    let totals: UnsafePointer<Int32>?
  }

  private mutating func packedReduced(
    _ kernel: ReducedKernel, _ value: Value, _ size: Size, inputs: Int, outputs: Int,
    panelWidth: Int
  ) throws -> ReducedWeights {
    let packed = try packed(
      value,
      as: .reduced(
        kernel, height: size.height, width: size.width, inputs: inputs, outputs: outputs,
        panelWidth: panelWidth, accuracy: settings.accuracy))
    let columns = AlignedMemory.round(outputs, to: panelWidth)
    let hasScales = kernel != .pairs
    let totals = kernel == .quads ? packed?.advanced(by: columns) : nil
    return ReducedWeights(
      values: packed?.advanced(by: (hasScales ? columns : 0) + (totals == nil ? 0 : columns)),
      scales: hasScales ? packed : nil,
      totals: UnsafeRawPointer(totals)?.assumingMemoryBound(to: Int32.self))
  }

  private var precisionKernels: forge_precision_table { forge_precision_kernels(kernels.level) }
}

/// An image as words, with zeros around it.
private struct ImageWords {
  let words: PlannedTensor.ID
  /// The scratch of the bytes' range.
  let range: PlannedTensor.ID?
  let image: PlannedTensor
  let border: Edges
  /// The words of 16 channels of a pixel.
  let perBlock: Int

  /// The words as kernels see them, in one row for a pointwise convolution, which has no border.
  func view(_ places: TensorPlaces, isFlat: Bool) -> forge_view {
    let rowStride = (border.left + image.width + border.right) * perBlock
    var view = places.view(words)
    view.height = Int32(clamping: isFlat ? 1 : image.height)
    view.width = Int32(clamping: isFlat ? image.height * image.width : image.width)
    view.channels = Int32(clamping: image.channels)
    view.offset += Int64(border.top * rowStride + border.left * perBlock)
    view.row_stride = Int64(rowStride)
    view.block_stride = Int64(rowStride * (border.top + image.height + border.bottom))
    return view
  }
}

extension ReducedKernel {
  fileprivate func convolution(_ kernels: forge_precision_table) -> forge_kernel? {
    switch self {
    case .fixed: kernels.fixed_convolution
    case .halves: kernels.half_convolution
    case .pairs: kernels.bfloat_convolution
    case .quads: kernels.byte_convolution
    }
  }

  fileprivate func input(_ kernels: forge_precision_table) -> forge_kernel? {
    self == .quads ? kernels.byte_input : kernels.bfloat_input
  }
}
