import Forge
import ForgeImporters

/// An input or output as the protocol shows it.
package struct ServedPort: Sendable {
  let port: ImportedModel.Port
  /// The axis along which examples follow each other; `nil` if the file has none.
  let batchAxis: Int?
  package let datatype: Datatype
  /// The sizes of the metadata: −1 for those that a request chooses.
  package let shape: [Int]
  /// Whether Forge's axes are those of the file in their order, so values need no movement.
  private let isInFileOrder: Bool

  package var name: String { port.name }

  init(_ port: ImportedModel.Port, hasOpenBatch: Bool) {
    let isFree = port.sizes.first == 1 && !port.axes.contains(0)
    let batchAxis = port.batchAxis ?? (hasOpenBatch && isFree ? 0 : nil)
    self.port = port
    self.batchAxis = batchAxis
    datatype = Datatype(port.elementType)
    let open = Set(port.lengthAxes + [batchAxis, port.rows?.axis].compactMap(\.self))
    shape = port.sizes.enumerated().map { open.contains($0) || $1 < 0 ? -1 : $1 }
    let axes = port.axes.compactMap(\.self)
    isInFileOrder = zip(axes, axes.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The largest integer that every smaller one is exact below, in Float32.
  private static let exactIntegers: Int64 = 1 << 24

  /// The number of examples of an input.
  ///
  /// - Throws: ``ServingError`` of kind `invalid` when datatype or shape do not fit.
  func exampleCount(of tensor: TensorData) throws(ServingError) -> Int {
    guard tensor.datatype == datatype else {
      throw .invalid(
        "the input \"\(name)\" has the datatype \(tensor.datatype.rawValue), and the model takes "
          + datatype.rawValue)
    }
    let given = tensor.shape
    let fits =
      given.count == shape.count
      && given.indices.allSatisfy { axis in
        if shape[axis] >= 0 { return given[axis] == shape[axis] }
        return given[axis] > 0
          && (!port.lengthAxes.contains(axis) || given[axis] <= port.sizes[axis])
      }
    guard fits else {
      throw .invalid("the input \"\(name)\" has the shape \(given), and the model takes \(shape)")
    }
    return batchAxis.map { given[$0] } ?? 1
  }

  /// The examples of an input in Forge's order.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`.
  func examples(of tensor: TensorData, count: Int) throws(ServingError) -> [TensorValues] {
    try tensor.checkContent()
    let floats = try self.floats(of: tensor)
    var sizes = tensor.shape
    if let batchAxis { sizes[batchAxis] = 1 }
    if count == 1 { return [try values(floats, sizes)] }
    let step = floats.count / count
    var result: [TensorValues] = []
    result.reserveCapacity(count)
    for example in 0..<count {
      let range = example * step..<(example + 1) * step
      result.append(try values(Array(floats[range]), sizes))
    }
    return result
  }

  private func values(_ floats: [Float], _ sizes: [Int]) throws(ServingError) -> TensorValues {
    if isInFileOrder {
      let forge = port.axes.map { $0.map { sizes[$0] } ?? 1 }
      return TensorValues(shape: Shape(sizes: forge), values: floats)
    }
    do { return try port.forgeValues(floats, sizes: sizes) } catch {
      throw .invalid("\(error)")
    }
  }

  private func floats(of tensor: TensorData) throws(ServingError) -> [Float] {
    if datatype == .float32 {
      let count = tensor.content.count / 4
      return [Float](unsafeUninitializedCapacity: count) { buffer, written in
        tensor.content.withUnsafeBytes {
          UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
        }
        written = count
      }
    }
    guard let type = datatype.elementType,
      let stored = try? StoredTensor(
        elementType: type, sizes: tensor.shape, bytes: Array(tensor.content))
    else { throw .invalid("the input \"\(name)\" does not fit its shape") }
    if type == .int32 || type == .int64, let integers = stored.int64s,
      let wide = integers.first(where: { $0.magnitude >= Self.exactIntegers.magnitude })
    {
      throw .invalid(
        "the input \"\(name)\" holds \(wide), and the network computes with integers from "
          + "-\(Self.exactIntegers - 1) to \(Self.exactIntegers - 1)")
    }
    return stored.floats
  }

  /// The results of all examples as a tensor.
  ///
  /// - Throws: ``ServingError`` of kind `failed` when the examples differ in size.
  func tensor(of results: [TensorValues]) throws(ServingError) -> TensorData {
    guard let first = results.first else {
      throw ServingError(.failed, "the output \"\(name)\" has no values")
    }
    guard results.allSatisfy({ $0.shape == first.shape }) else {
      throw ServingError(
        .failed,
        "the examples have different numbers of rows in \"\(name)\": send one example at a time")
    }
    var sizes = Array(repeating: 1, count: port.sizes.count)
    for (axis, size) in zip(port.axes, first.shape.sizes ?? []) {
      if let axis, sizes.indices.contains(axis) { sizes[axis] = size }
    }
    if let rows = port.rows, first.values.isEmpty { sizes[rows.axis] = 0 }
    var parts: [[Float]] = []
    // What no example changes is there once.
    for result in batchAxis == nil ? results.prefix(1) : results[...] {
      parts.append(try fileValues(result, sizes))
    }
    var values = parts.first ?? []
    if let batchAxis, parts.count > 1 {
      let inner = sizes[batchAxis...].reduce(1, *)
      let outer = sizes[..<batchAxis].reduce(1, *)
      values = (0..<outer).flatMap { index in
        parts.flatMap { $0[index * inner..<(index + 1) * inner] }
      }
      sizes[batchAxis] *= parts.count
    }
    return TensorData(
      name: name, datatype: datatype, shape: sizes, content: try bytes(of: values)[...])
  }

  private func fileValues(_ result: TensorValues, _ sizes: [Int]) throws(ServingError) -> [Float] {
    if isInFileOrder || result.values.isEmpty { return result.values }
    do { return try port.fileValues(result.values, sizes: sizes) } catch {
      throw ServingError(.failed, "\(error)")
    }
  }

  private func bytes(of values: [Float]) throws(ServingError) -> [UInt8] {
    if port.elementType == .float32 { return values.withUnsafeBytes { Array($0) } }
    do { return try StoredTensor(floats: values, elementType: port.elementType).bytes } catch {
      throw ServingError(.failed, "\(error)")
    }
  }

  /// The first rows of an output whose rows a prediction selects.
  func rows(_ count: Int, of values: TensorValues) -> TensorValues {
    guard let rows = port.rows else { return values }
    let wanted = count * rows.entries
    guard let own = port.axes.firstIndex(of: rows.axis), var sizes = values.shape.sizes,
      (0..<sizes[own]).contains(wanted)
    else {
      // Without an axis in the network there is one row, or none.
      return wanted > 0 ? values : TensorValues(shape: Shape(sizes: [0]), values: [])
    }
    let inner = sizes[(own + 1)...].reduce(1, *)
    let stride = sizes[own] * inner
    let kept = (0..<sizes[..<own].reduce(1, *)).flatMap { outer in
      values.values[outer * stride..<outer * stride + wanted * inner]
    }
    sizes[own] = wanted
    return TensorValues(shape: Shape(sizes: sizes), values: kept)
  }
}
