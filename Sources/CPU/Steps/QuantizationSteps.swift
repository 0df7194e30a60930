import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Images of bytes: how values get them, and how they become floats again.
///
/// A value of 8-bit integers is an image of bytes wherever steps on bytes read it. Other steps
/// read it as whole numbers in floats, which the value becomes once if one asks for it.
extension PlanBuilder {
  /// The type of a value that an operation on integers makes, else that of bytes from 0 on.
  func storage(of value: Value) -> Quantization.Storage { storages[value.index] ?? .uint8 }

  /// The sizes of a value as an image of bytes; leading axes beyond three are one.
  func byteSizes(of value: Value) -> [Int] {
    let sizes = graph.imageSizes(of: value)
    guard sizes.count > 3, let last = sizes.last else { return sizes }
    return [1, sizes.dropLast().reduce(1) { $0.multipliedSaturated(by: $1) }, last]
  }

  /// Returns a value as an image of bytes, converting whole numbers if necessary.
  mutating func bytes(_ value: Value, _ quantization: Quantization) throws -> ID {
    if let form = byteForms[value] { return form }
    let source = try floats(value)
    let form = byteResult(value, quantization)
    addQuantization(from: source, as: .unscaled(quantization.storage), to: form)
    return form
  }

  /// The zero points of the values that convolutions of integers read.
  static func borderZeros(of graph: OperationGraph) -> [Int: Int] {
    var zeros: [Int: Int] = [:]
    for node in graph.nodes {
      guard case .quantizedProduct(let product) = node.primitive,
        case .convolution = product.form
      else { continue }
      zeros[node.inputs[0].index] = product.input.zeroPoint
    }
    return zeros
  }

  /// Creates the image of bytes of a node's result, whose border holds the zero point: that of the
  /// convolutions which read it, because a table has none.
  mutating func byteResult(_ value: Value, _ quantization: Quantization) -> ID {
    let zero = borderZeros[value.index] ?? quantization.zeroPoint
    let form = addBytes(
      byteSizes(of: value), .bytes(border: quantization.stored(zero)),
      halo: convolutions.layout.halos[value])
    setForm(value, form)
    return form
  }

  /// Returns a value as a blocked image of floats, of the sizes of an image of bytes.
  mutating func floats(_ value: Value) throws -> ID {
    let sizes = byteSizes(of: value)
    if graph.imageSizes(of: value) == sizes { return try blocked(value) }
    let source = addTensor(tensor(try plain(value)).reshaped(sizes))
    let image = addBlocked(sizes)
    addBlock(from: source, to: image)
    return image
  }

  /// Returns the whole numbers of an image of bytes in row-major order.
  mutating func plainNumbers(of value: Value, from bytes: ID) throws -> ID {
    let sizes = byteSizes(of: value)
    let image: ID
    if graph.imageSizes(of: value) == sizes {
      image = try blocked(value)
    } else {
      image = addBlocked(sizes)
      addDequantization(from: bytes, as: .unscaled(storage(of: value)), to: image)
    }
    let form = plainResult(value)
    addUnblock(from: image, to: addTensor(tensor(form).reshaped(sizes)))
    return form
  }

  // MARK: Operations

  /// Adds a quantization.
  mutating func addQuantization(
    _ node: OperationGraph.Node, _ quantization: Quantization
  ) throws {
    if isReadAsPixels(node.output, quantization) {
      return try addPixels(node, quantization)
    }
    let source = try floats(node.inputs[0])
    addQuantization(from: source, as: quantization, to: byteResult(node.output, quantization))
  }

  /// Adds an inverse quantization.
  mutating func addDequantization(
    _ node: OperationGraph.Node, _ quantization: Quantization
  ) throws {
    let source = try bytes(node.inputs[0], quantization)
    let sizes = byteSizes(of: node.output)
    guard graph.imageSizes(of: node.output) != sizes else {
      return addDequantization(from: source, as: quantization, to: blockedResult(node.output))
    }
    let image = addBlocked(sizes)
    addDequantization(from: source, as: quantization, to: image)
    let form = plainResult(node.output)
    addUnblock(from: image, to: addTensor(tensor(form).reshaped(sizes)))
  }

  /// Adds a function of each integer as a table.
  mutating func addLookup(_ node: OperationGraph.Node, _ table: ByteTable) throws {
    let source = try bytes(node.inputs[0], .unscaled(table.input))
    let target = byteResult(node.output, .unscaled(table.output))
    var arguments = forge_byte_lookup_arguments()
    arguments.table = try retain(table.bytes)
    addStep(
      "lookup", kernels.byte_lookup, arguments, tiles: forge_byte_lookup_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds a copy of each operand's integers to its channels of the result.
  mutating func addQuantizedConcatenation(
    _ node: OperationGraph.Node, _ tables: [ByteTable]
  ) throws {
    guard let output = tables.first?.output else { return }
    let target = byteResult(node.output, .unscaled(output))
    var channels = 0
    for (value, table) in zip(node.inputs, tables) {
      let source = try bytes(value, .unscaled(table.input))
      var arguments = forge_byte_copy_channels_arguments()
      arguments.first_channel = Int32(clamping: channels)
      let bytes = table.bytes
      if bytes != Array(0...255) { arguments.table = try retain(bytes) }
      addStep(
        "copy integers", kernels.byte_copy_channels, arguments,
        tiles: forge_byte_copy_channels_tiles, reads: [\.in: source], writes: [\.out: target])
      channels += tensor(source).channels
    }
  }

  /// Adds a reshape of integers, as a view where pixels keep their place; returns whether it did.
  mutating func addByteReshape(_ node: OperationGraph.Node) -> Bool {
    guard let source = byteForms[node.inputs[0]],
      convolutions.layout.halos[node.output] == .none,
      let view = tensor(source).bytesReshaped(byteSizes(of: node.output))
    else { return false }
    setForm(node.output, view)
    return true
  }

  // MARK: Steps

  mutating func addQuantization(from source: ID, as quantization: Quantization, to target: ID) {
    var arguments = forge_quantize_arguments()
    arguments.scale = quantization.scale
    arguments.zero = quantization.storedZero
    arguments.high = 255
    addStep(
      "quantize", kernels.quantize, arguments, tiles: forge_quantize_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }

  mutating func addDequantization(from source: ID, as quantization: Quantization, to target: ID) {
    var arguments = forge_dequantize_arguments()
    arguments.scale = quantization.scale
    arguments.zero = quantization.storedZero
    addStep(
      "dequantize", kernels.dequantize, arguments, tiles: forge_dequantize_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }

  /// Fills the border of an image of bytes.
  mutating func addByteHalo(_ image: ID, _ halo: Edges, _ value: Int32) {
    var arguments = forge_byte_halo_arguments()
    arguments.top = Int32(clamping: halo.top)
    arguments.left = Int32(clamping: halo.left)
    arguments.bottom = Int32(clamping: halo.bottom)
    arguments.right = Int32(clamping: halo.right)
    arguments.value = value
    addStep(
      "byteHalo", kernels.byte_halo, arguments, tiles: forge_byte_halo_tiles,
      parts: tensor(image).height, writes: [\.out: image])
  }

  // MARK: Pixels of four bytes

  /// Whether only convolutions of few channels read a quantized input of the model.
  private func isReadAsPixels(_ value: Value, _ quantization: Quantization) -> Bool {
    guard isImage(value), (sizes(of: value).last ?? 0) <= 4, !graph.outputs.contains(value)
    else { return false }
    return graph.nodes.allSatisfy { node in
      guard graph.operands(of: node).contains(value) else { return true }
      guard case .quantizedProduct(let product) = node.primitive,
        case .convolution = product.form, product.input.zeroPoint == quantization.zeroPoint
      else { return false }
      return true
    }
  }

  /// Adds the quantization of an image of few channels.
  private mutating func addPixels(
    _ node: OperationGraph.Node, _ quantization: Quantization
  ) throws {
    let source = try plain(node.inputs[0])
    let halo = convolutions.layout.halos[node.output]
    let target = addBytes(sizes(of: node.output), .pixels, halo: halo)
    setForm(node.output, target)
    var arguments = forge_quantize_pixels_arguments()
    arguments.scale = quantization.scale
    arguments.zero = quantization.storedZero
    arguments.high = 255
    arguments.top = Int32(clamping: halo.top)
    arguments.left = Int32(clamping: halo.left)
    arguments.bottom = Int32(clamping: halo.bottom)
    arguments.right = Int32(clamping: halo.right)
    addStep(
      "quantize pixels", kernels.quantize_pixels, arguments, tiles: forge_quantize_pixels_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }
}

extension Quantization {
  /// The zero point as kernels have it, which count the numbers of a type from 0.
  var storedZero: Int32 { stored(zeroPoint) }

  /// An integer as kernels have it.
  func stored(_ integer: Int) -> Int32 { Int32(clamping: integer - storage.range.lowerBound) }

  /// Integers as kernels have them.
  func stored(_ integers: ClosedRange<Int>) -> ClosedRange<Int32> {
    let least = storage.range.lowerBound
    return Int32(
      clamping: integers.lowerBound - least)...Int32(
        clamping: integers.upperBound - least)
  }
}

extension ByteTable {
  /// The values as they are stored, counted from the least number of their type.
  fileprivate var bytes: [UInt8] {
    values.map { UInt8(clamping: $0 - output.range.lowerBound) }
  }
}
