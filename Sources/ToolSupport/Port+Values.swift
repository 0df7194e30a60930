import Forge
import ForgeImporters

extension ImportedModel.Port {
  /// The input or output of a network that was not imported: axes in Forge's order after a batch
  /// axis of size 1.
  package init(name: String, shape: Shape) {
    self.init(
      name: name, sizes: [1] + shape.dimensions.map { $0 ?? -1 },
      axes: (0..<shape.rank).map { $0 + 1 })
  }

  /// Whether the first axis of the file counts examples: it has size 1 and no axis in Forge.
  package var hasBatchAxis: Bool { sizes.first == 1 && !axes.contains(0) }

  /// Whether an array has the axes of a file that fixes a batch, so that its first axis counts
  /// examples.
  package func isFileBatch(_ array: StoredTensor) -> Bool {
    batchSize != nil && array.sizes.count == sizes.count
      && array.sizes.dropFirst().elementsEqual(sizes.dropFirst())
  }

  /// The axes of the file that have an axis in Forge.
  private var usedAxes: [Int] { sizes.indices.filter { axes.contains($0) } }

  /// The sizes that an array may have, and what they are, for messages.
  private func needs(_ shape: Shape) -> String {
    let fixed = batchSize.map { StoredTensor.text(of: [$0] + sizes.dropFirst()) }
    let fileSizes = "\(fixed ?? sizesText), the axes of the file"
    let forge = shape.dimensions.map { $0 ?? -1 }
    guard lengthAxes.isEmpty, forge != usedAxes.map({ sizes[$0] }) else {
      return Self.withAny(fileSizes)
    }
    return Self.withAny("\(fileSizes)\nor \(StoredTensor.text(of: forge)), Forge's order")
  }

  private static func withAny(_ text: String) -> String { text.replacing("-1", with: "any") }

  /// How the axes of an array correspond to Forge's: for each axis of Forge one of the array.
  private func order(of array: [Int], forge shape: Shape, isBatch: Bool) -> [Int?]? {
    func fits(_ wanted: [Int]) -> Bool {
      array.count == wanted.count && zip(array, wanted).allSatisfy { $1 < 0 || $0 == $1 }
    }
    let forge = shape.dimensions.enumerated().map { axis, size in
      let isLength = axes.indices.contains(axis) && axes[axis].map(lengthAxes.contains) == true
      return isLength ? -1 : size ?? -1
    }
    let sizes = sizes.enumerated().map { lengthAxes.contains($0) ? -1 : $1 }
    let forgeOrder = Array(forge.indices)
    if isBatch {
      // The first axis of the array counts examples.
      guard array.first != nil else { return nil }
      if hasBatchAxis, fits([-1] + sizes.dropFirst()) { return axes }
      if fits([-1] + usedAxes.map { sizes[$0] }) {
        return axes.map { axis in axis.flatMap { usedAxes.firstIndex(of: $0) }.map { $0 + 1 } }
      }
      return fits([-1] + forge) ? forgeOrder.map { $0 + 1 } : nil
    }
    if fits(sizes) { return axes }
    if fits(usedAxes.map { sizes[$0] }) {
      return axes.map { axis in axis.flatMap { usedAxes.firstIndex(of: $0) } }
    }
    if fits(forge) { return forgeOrder }
    return fits([1] + forge) ? forgeOrder.map { $0 + 1 } : nil
  }

  /// The examples in an array that stands for this input, in Forge's axis order.
  ///
  /// The array has the sizes of the file, with or without axes that Forge does not have, or, if
  /// these do not fit, the sizes of Forge's tensor.
  ///
  /// - Parameters:
  ///   - array: the array.
  ///   - shape: the shape of Forge's tensor.
  ///   - isBatch: whether the first axis counts examples.
  /// - Returns: the examples in order; one unless `isBatch`.
  /// - Throws: ``ToolError`` of kind `wrongInput`.
  package func examples(
    in array: StoredTensor, forge shape: Shape, isBatch: Bool = false
  ) throws(ToolError) -> [TensorValues] {
    guard let order = order(of: array.sizes, forge: shape, isBatch: isBatch) else {
      let isStack =
        !isBatch && self.order(of: array.sizes, forge: shape, isBatch: true) != nil
      throw ToolError(
        .wrongInput, "the array does not fit the input \"\(name)\"",
        received: StoredTensor.text(of: array.sizes),
        needs: isBatch ? "several of \(needs(shape))" : needs(shape),
        remedy: isStack ? "--batch, if the first axis counts examples" : nil)
    }
    let values = array.floats
    let count = isBatch ? array.sizes.first ?? 1 : 1
    guard count > 0 else { return [] }
    // What the array is of one example, whichever way its axes correspond.
    let port = Self(
      name: name, sizes: isBatch ? [1] + array.sizes.dropFirst() : array.sizes, axes: order)
    let step = values.count / count
    do throws(ImportError) {
      var examples: [TensorValues] = []
      for example in 0..<count {
        let part = values[(example * step)..<((example + 1) * step)]
        examples.append(try port.forgeValues(Array(part)))
      }
      return examples
    } catch { throw ToolError(.wrongInput, error.problem) }
  }

  /// The results of one or several examples as an array with the axes and the type of the file.
  ///
  /// - Parameters:
  ///   - examples: the results, all of one shape.
  ///   - isBatch: whether the first axis of the array counts examples; an axis is added if the file
  ///     has none of size 1 there.
  /// - Returns: the array.
  /// - Throws: ``ImportError`` when the values do not fill the sizes.
  package func array(
    of examples: [TensorValues], isBatch: Bool = false
  ) throws(ImportError) -> StoredTensor {
    var fileSizes = Array(repeating: 1, count: sizes.count)
    let forge = examples.first?.shape.sizes ?? []
    for (axis, size) in zip(axes, forge) {
      if let axis, fileSizes.indices.contains(axis) { fileSizes[axis] = size }
    }
    // An axis that the network does not have is empty, too, if no row was selected.
    if let rows, let first = examples.first, first.values.isEmpty { fileSizes[rows.axis] = 0 }
    var floats: [[Float]] = []
    for example in examples {
      let isEmpty = example.values.isEmpty
      floats.append(isEmpty ? [] : try fileValues(example.values, sizes: fileSizes))
    }
    if isBatch, self.examples == .shared {
      return try StoredTensor(
        floats: floats.first ?? [], sizes: fileSizes, elementType: elementType)
    }
    if isBatch, case .along(let axis)? = self.examples {
      // Each example has its own part along the axis.
      let inner = fileSizes[axis...].reduce(1, *)
      let joined = (0..<fileSizes[..<axis].reduce(1, *)).flatMap { outer in
        floats.flatMap { $0[(outer * inner)..<((outer + 1) * inner)] }
      }
      fileSizes[axis] *= examples.count
      return try StoredTensor(floats: joined, sizes: fileSizes, elementType: elementType)
    }
    if isBatch {
      fileSizes = [examples.count] + (hasBatchAxis ? fileSizes.dropFirst() : fileSizes[...])
    }
    return try StoredTensor(
      floats: floats.flatMap(\.self), sizes: fileSizes, elementType: elementType)
  }

  /// The first entries along an axis of the file.
  func prefix(_ count: Int, of values: TensorValues, along axis: Int) -> TensorValues {
    guard let forgeAxis = axes.firstIndex(of: axis), var sizes = values.shape.sizes,
      (0..<sizes[forgeAxis]).contains(count)
    else {
      // Without an axis in the network there is one row, or none.
      return count > 0
        ? values : TensorValues(shape: Shape(sizes: [0]), values: [])
    }
    let inner = sizes[(forgeAxis + 1)...].reduce(1, *)
    let stride = sizes[forgeAxis] * inner
    let kept = (0..<sizes[..<forgeAxis].reduce(1, *)).flatMap { outer in
      values.values[(outer * stride)..<(outer * stride + count * inner)]
    }
    sizes[forgeAxis] = count
    return TensorValues(shape: Shape(sizes: sizes), values: kept)
  }
}
