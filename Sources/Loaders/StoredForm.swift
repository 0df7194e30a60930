import ForgeShapes

/// The sizes and the order in which a weight file stores the values of a parameter.
package struct StoredForm: Sendable {
  /// The sizes in the file, outermost first.
  package let sizes: [Int]
  private let spec: ParameterSpec
  private let data: any ParameterData
  /// The size of each axis in the order of the file.
  private let targetSizes: [Int]
  /// The distance between neighbors along each of these axes in `data`.
  private let strides: [Int]
  /// Whether the axis of the outputs is the innermost one of the file.
  private let isOutputsLast: Bool

  /// Determines the form of a parameter.
  ///
  /// - Parameters:
  ///   - spec: the parameter.
  ///   - data: its values, of any type and axis order.
  ///   - layout: the axis order of the file.
  ///   - isMatrix: whether weights become a matrix of inputs and outputs. Other values whose source
  ///     states their sizes in the order of the file have these in the file, and all others one
  ///     size for each axis.
  /// - Throws: ``LoadError``: `wrongCount` or `wrongShape` when the values are not the parameter's.
  package init(
    _ spec: ParameterSpec, _ data: any ParameterData, in layout: ParameterLayout, isMatrix: Bool
  ) throws(LoadError) {
    guard Shape.product(of: spec.sizes) == data.count else {
      throw .wrongCount(data.count, for: spec)
    }
    guard Set(spec.axes).count == spec.axes.count, let order = layout.order(for: spec),
      let source = data.layout.strides(for: spec)
    else { throw .otherAxes(data.origin, spec) }
    let places = order.compactMap { spec.axes.firstIndex(of: $0) }
    targetSizes = places.map { spec.sizes[$0] }
    strides = places.map { source[$0] }
    self.spec = spec
    self.data = data
    isOutputsLast = order.first != spec.axes.first
    if isMatrix, spec.type == .weights, order.first == .outputs {
      sizes = [targetSizes[0], targetSizes.dropFirst().reduce(1, *)]
    } else if isMatrix, spec.type == .weights, order.last == .outputs {
      sizes = [targetSizes.dropLast().reduce(1, *), targetSizes[order.count - 1]]
    } else if data.layout == layout, let stated = data.sizes, spec.fits(stated, in: layout) {
      sizes = stated
    } else if layout == .pytorch, order.starts(with: [.channels, .multiplier]) {
      // A convolution with a group for each channel.
      sizes = [targetSizes[0] * targetSizes[1], 1] + targetSizes.dropFirst(2)
    } else {
      sizes = targetSizes
    }
  }

  /// The bytes of the values in single precision.
  package var byteCount: Int { data.count.multipliedSaturated(by: MemoryLayout<Float>.size) }

  /// The parameter.
  package var parameter: ParameterSpec { spec }

  /// The axis of the file that holds the outputs of a layer; `nil` for values without one, such as
  /// biases.
  package var outputAxis: Int? {
    guard sizes.count > 1, spec.axes.count > 1, let first = spec.axes.first,
      first == .outputs || first == .channels
    else { return nil }
    return isOutputsLast ? sizes.count - 1 : 0
  }

  /// Reads the values in single precision and in the order of the file.
  ///
  /// - Parameter purpose: what error messages name as the path.
  /// - Returns: the values.
  /// - Throws: ``LoadError``: `outOfMemory`, or `wrongCount` when the source has other values than
  ///   it stated; and what the source throws.
  package func values(for purpose: String) throws -> RawMemory {
    let ordered = try RawMemory(byteCount: byteCount, for: purpose)
    try data.withBytes(atLeast: 0) { bytes in
      guard bytes.count == data.count * data.elementType.byteCount else {
        throw LoadError.wrongCount(bytes.count / data.elementType.byteCount, for: spec)
      }
      let floats = try RawMemory(byteCount: ordered.bytes.count, for: purpose)
      data.elementType.convert(bytes, into: floats.bytes.bindMemory(to: Float.self))
      AxisOrder.gather(
        UnsafeRawBufferPointer(floats.bytes), sizes: targetSizes, strides: strides,
        byteCount: MemoryLayout<Float>.size, into: ordered.bytes)
    }
    return ordered
  }
}
