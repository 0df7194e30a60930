import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension PlanBuilder {
  /// Adds a convolution or a dense layer of integers.
  mutating func addQuantizedProduct(
    _ node: OperationGraph.Node, _ product: QuantizedProduct
  ) throws {
    let source = try bytes(node.inputs[0], product.input)
    switch product.form {
    case .depthwise(let geometry, _):
      try addQuantizedDepthwise(node, product, geometry, source)
    case .convolution(let geometry, let outputs, _):
      try addQuantizedConvolution(node, product, geometry, source, outputs: outputs)
    case .dense(let outputs):
      let image = tensor(source)
      let whole = ConvolutionGeometry(kernel: Size(width: image.width, height: image.height))
      try addQuantizedConvolution(node, product, whole, source, outputs: outputs)
    }
  }

  private mutating func addQuantizedConvolution(
    _ node: OperationGraph.Node, _ product: QuantizedProduct, _ geometry: ConvolutionGeometry,
    _ source: ID, outputs: Int
  ) throws {
    let form = quantizedForm(
      geometry, source, outputs: outputs, hasZeros: product.hasWeightZeros,
      QuantizedScales(product))
    let packed = try packed(node.inputs[1], as: form)
    let biases = try node.bias.flatMap { graph.constant($0) }.map {
      try constants.source.values(of: $0)
    }
    let target: ID
    var end = forge_sum_end()
    end.scales = try retain(product.multipliers, count: form.columns)
    if let output = product.output {
      target = byteResult(node.output, output)
      let range = output.stored(product.bounds)
      end.form = Int32(FORGE_SUMS_TO_BYTES.rawValue)
      end.zero = output.storedZero
      (end.low, end.high) = (range.lowerBound, range.upperBound)
    } else {
      target = blockedResult(node.output)
      end.form = Int32(FORGE_SUMS_TO_FLOATS.rawValue)
      if let biases { end.offsets = try retain(biases, count: form.columns) }
      end.epilogue = forge_epilogue(.linear, hasResidual: false)
    }
    end.biases = try foldedBiases(
      product.output == nil ? nil : biases.flatMap { product.integers(ofBiases: $0) },
      form, packed, zero: product.input.storedZero)
    addIntegerConvolution(geometry, form, packed, end, from: source, to: target)
  }

  /// The form of the weights of a convolution of an image of bytes.
  func quantizedForm(
    _ geometry: ConvolutionGeometry, _ source: ID, outputs: Int, hasZeros: Bool,
    _ scales: QuantizedScales
  ) -> QuantizedForm {
    let image = tensor(source)
    return QuantizedForm(
      taps: geometry.kernel.width * geometry.kernel.height, inputs: image.channels,
      outputs: outputs,
      pixelBytes: image.element == .pixels ? FORGE_SMALL_PIXEL : FORGE_BYTE_LANES,
      hasZeros: hasZeros, scales: scales)
  }

  /// Adds a convolution of integers.
  ///
  /// - Parameters:
  ///   - geometry: the window.
  ///   - form: the form of the weights.
  ///   - packed: the weights.
  ///   - end: what becomes of the sums; the zero points of weights are set here.
  ///   - source: the image of bytes.
  ///   - target: the result.
  ///   - range: the scale and the zero point of the integers, if each prediction finds them.
  ///   - residual: what is added to real numbers.
  mutating func addIntegerConvolution(
    _ geometry: ConvolutionGeometry, _ form: QuantizedForm, _ packed: UnsafePointer<Float>?,
    _ end: forge_sum_end, from source: ID, to target: ID, range: ID? = nil, residual: ID? = nil
  ) {
    let image = tensor(source)
    var arguments = forge_quantized_convolution_arguments()
    arguments.end = end
    arguments.end.weight_zeros = form.zeros(packed)
    arguments.weights = form.weights(packed)
    arguments.set(geometry, input: image)
    arguments.pixel_bytes = form.pixelBytes
    let isFlat = image.element != .pixels && geometry.isPointwise && image.isContiguous
    arguments.flat = isFlat ? 1 : 0
    let pixels = tensor(target).height * tensor(target).width
    let segments = isFlat ? quantizedSegments(pixels: pixels, outputs: form.outputs) : 1
    arguments.segments = Int32(clamping: segments)
    addStep(
      "integer convolution \(geometry.kernel)", kernels.quantized_convolution, arguments,
      tiles: forge_quantized_convolution_tiles,
      parts: (isFlat ? 1 : tensor(target).height) * segments,
      reads: [\.in: source, \.end.range: range, \.end.epilogue.residual: residual],
      writes: [\.out: target],
      multiplyAdds: tensor(target).count.multipliedSaturated(
        by: form.taps.multipliedSaturated(by: form.inputs)),
      parameterCount: form.weightBytes / MemoryLayout<Float>.stride,
      firstWeights: FirstWeights(
        start: packed.map { $0 + form.weightsStart },
        count: form.weightBytes / MemoryLayout<Float>.stride * min(64, form.columns) / form.columns)
    ) { arguments, places in
      arguments.next = UnsafeRawPointer(places.next?.start)?.assumingMemoryBound(to: Int8.self)
      arguments.next_bytes = Int64(places.next?.count ?? 0) * Int64(MemoryLayout<Float>.stride)
    }
  }

  /// The number of parts of an image that is treated as one row.
  private func quantizedSegments(pixels: Int, outputs: Int) -> Int {
    // All lengths of a sequence have the same parts, however short they are.
    if graph.hasVaryingLength { return max(settings.threads, 1) }
    guard settings.threads > 1, pixels > 1 else { return 1 }
    if pixels >= ThreadSplit.rowsFrom { return min(settings.threads, max(pixels / 24, 1)) }
    let panels = (outputs + 63) / 64
    return (1...4 * settings.threads).first { (panels * $0).isMultiple(of: settings.threads) } ?? 1
  }

  private mutating func addQuantizedDepthwise(
    _ node: OperationGraph.Node, _ product: QuantizedProduct, _ geometry: ConvolutionGeometry,
    _ source: ID
  ) throws {
    guard let output = product.output else {
      preconditionFailure("a depthwise convolution of integers makes integers")
    }
    let image = tensor(source)
    let target = byteResult(node.output, output)
    let biases = try node.bias.flatMap { graph.constant($0) }.map {
      try constants.source.values(of: $0)
    }
    let form = QuantizedDepthwiseForm(
      kernel: geometry.kernel, channels: image.channels, zero: product.input.storedZero,
      biases: biases.flatMap { product.integers(ofBiases: $0) },
      multipliers: product.multipliers, product: QuantizedScales(product))
    let packed = try packed(node.inputs[1], as: form)
    var arguments = forge_quantized_depthwise_arguments()
    arguments.weights = form.weights(packed)
    arguments.scales = packed
    arguments.biases = UnsafeRawPointer(packed.map { $0 + form.columns })?
      .assumingMemoryBound(to: Int32.self)
    arguments.in_zero = product.input.storedZero
    arguments.zero = output.storedZero
    let range = output.stored(product.bounds)
    (arguments.low, arguments.high) = (range.lowerBound, range.upperBound)
    arguments.set(geometry, input: image)
    addStep(
      "integer depthwise \(geometry.kernel)", kernels.quantized_depthwise, arguments,
      tiles: forge_quantized_depthwise_tiles, parts: tensor(target).height,
      reads: [\.in: source], writes: [\.out: target],
      multiplyAdds: tensor(target).count.multipliedSaturated(
        by: geometry.kernel.width * geometry.kernel.height),
      parameterCount: form.count)
  }

  /// Biases with the zero point of the input folded in.
  mutating func foldedBiases(
    _ biases: [Int32]?, _ form: QuantizedForm, _ packed: UnsafePointer<Float>?, zero: Int32
  ) throws -> UnsafePointer<Int32>? {
    var folded = [Int32](repeating: 0, count: form.columns)
    forge_fold_zero(biases, form.totals(packed), zero, Int64(form.outputs), &folded)
    return try retain(folded)
  }
}

/// The scales of weights, by which equal forms are known.
struct QuantizedScales: Hashable, Sendable {
  let input: Float
  let weights: [Float]

  init(_ product: QuantizedProduct) {
    (input, weights) = (product.input.scale, product.weightScales)
  }

  init(_ product: DynamicProduct) { (input, weights) = (1, product.weightScales) }

  /// The integers of weights; `nil` if they are not such.
  func integers(_ packing: Packing) -> QuantizedWeights? {
    QuantizedWeights(
      UnsafeBufferPointer(start: packing.values, count: packing.count), scales: weights)
  }
}

/// Weights of a convolution of integers: the totals of the outputs, their zero points if they have
/// some, then the packed integers.
struct QuantizedForm: PackedForm {
  let taps, inputs, outputs: Int
  let pixelBytes: Int32
  let hasZeros: Bool
  let scales: QuantizedScales

  /// The numbers of a table of outputs.
  var columns: Int { Int(forge_quantized_outputs(Int64(outputs))) }
  /// The words before the weights.
  var weightsStart: Int { hasZeros ? 2 * columns : columns }
  var weightBytes: Int {
    Int(forge_quantized_weight_bytes(Int64(outputs), Int64(taps), Int64(inputs), pixelBytes))
  }
  var count: Int { weightsStart + (weightBytes + 3) / MemoryLayout<Float>.stride }

  /// The sums of the weights of each output.
  func totals(_ packed: UnsafePointer<Float>?) -> UnsafePointer<Int32>? {
    UnsafeRawPointer(packed)?.assumingMemoryBound(to: Int32.self)
  }

  /// The zero points of the weights of each output; `nil` if all are 0.
  func zeros(_ packed: UnsafePointer<Float>?) -> UnsafePointer<Int32>? {
    hasZeros ? totals(packed).map { $0 + columns } : nil
  }

  /// The weights behind the tables.
  func weights(_ packed: UnsafePointer<Float>?) -> UnsafePointer<Int8>? {
    UnsafeRawPointer(packed.map { $0 + weightsStart })?.assumingMemoryBound(to: Int8.self)
  }

  func write(_ packing: Packing) -> Bool {
    guard let integers = scales.integers(packing), hasZeros || integers.zeros == nil else {
      return false
    }
    let totals = UnsafeMutableRawPointer(packing.memory).assumingMemoryBound(to: Int32.self)
    let weights = UnsafeMutableRawPointer(packing.memory + weightsStart)
      .assumingMemoryBound(to: Int8.self)
    let zeros = integers.zeros ?? Array(repeating: 0, count: outputs)
    integers.integers.withUnsafeBytes { bytes in
      zeros.withUnsafeBufferPointer { zeros in
        var stored = forge_quantized_packing()
        stored.weights = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stored.zeros = hasZeros ? zeros.baseAddress : nil
        (stored.outputs, stored.taps, stored.inputs) = (Int64(outputs), Int64(taps), Int64(inputs))
        stored.output_stride = Int64(taps * inputs)
        stored.tap_stride = Int64(inputs)
        stored.input_stride = 1
        stored.pixel_bytes = pixelBytes
        forge_pack_quantized(&stored, weights, totals, hasZeros ? totals + columns : nil)
      }
    }
    return true
  }
}

/// Weights of a depthwise convolution of integers: factors and biases of the channels, then the
/// packed integers.
struct QuantizedDepthwiseForm: PackedForm {
  let kernel: Size
  let channels: Int
  let zero: Int32
  let biases: [Int32]?
  let multipliers: [Float]
  let product: QuantizedScales

  /// The numbers of a table of channels.
  var columns: Int { Int(forge_quantized_outputs(Int64(channels))) }
  private var weightBytes: Int {
    Int(
      forge_quantized_depthwise_bytes(Int64(channels), Int64(kernel.height), Int64(kernel.width)))
  }
  var count: Int { 2 * columns + (weightBytes + 3) / MemoryLayout<Float>.stride }

  /// The weights behind the tables.
  func weights(_ packed: UnsafePointer<Float>?) -> UnsafePointer<Int8>? {
    UnsafeRawPointer(packed.map { $0 + 2 * columns })?.assumingMemoryBound(to: Int8.self)
  }

  func write(_ packing: Packing) -> Bool {
    guard let integers = product.integers(packing), integers.zeros == nil else { return false }
    let taps = kernel.width * kernel.height
    let table = UnsafeMutableRawPointer(packing.memory + columns)
      .assumingMemoryBound(to: Int32.self)
    let weights = UnsafeMutableRawPointer(packing.memory + 2 * columns)
      .assumingMemoryBound(to: Int8.self)
    integers.integers.withUnsafeBytes { bytes in
      var stored = forge_quantized_packing()
      stored.weights = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      (stored.outputs, stored.taps, stored.inputs) = (Int64(channels), Int64(taps), 1)
      stored.output_stride = Int64(taps)
      stored.tap_stride = 1
      stored.input_stride = 1
      stored.pixel_bytes = FORGE_BYTE_LANES
      forge_pack_quantized_depthwise(
        &stored, Int64(kernel.height), Int64(kernel.width), multipliers, biases, zero, weights,
        packing.memory, table)
    }
    return true
  }
}

extension forge_quantized_convolution_arguments: DilatedWindowArguments {}
extension forge_quantized_depthwise_arguments: DilatedWindowArguments {}
extension forge_quantized_pooling_arguments: DilatedWindowArguments {}
