import Forge

/// A tensor of a model while it is imported.
///
/// A Keras shape without the batch is a Forge shape in memory order, except for one axis: what
/// Keras has as `(n)` is 1×1×n here, the form of Forge's ``Flatten`` and ``Dense``.
struct KerasTensor: Sendable {
  let tensor: Tensor
  /// The number of axes in Keras, without the batch.
  let rank: Int
  /// Which positions along the first axis count, see ``KerasMask``; `nil` for all.
  var mask: Tensor?

  /// The sizes in Keras, without the batch; `nil` for an unknown size.
  var sizes: [Int?] {
    let all = tensor.shape?.dimensions ?? []
    return rank == 1 ? all.suffix(1) : all
  }

  /// The sizes in Keras, which must be known.
  func knownSizes(_ purpose: String) throws(KerasFault) -> [Int] {
    let known = sizes.compactMap(\.self)
    guard known.count == sizes.count else {
      throw .shape(
        ShapeError(
          .unknownSize, "a size is not known", needs: purpose,
          remedy: "state the sizes of the input in the options of the import"),
        inputs: [tensor.shape])
    }
    return known
  }

  /// The axis of the Forge tensor for one of Keras, which counts the batch as axis 0.
  func axis(_ axis: Int) throws(KerasFault) -> Int {
    guard axis != 0, axis != -rank - 1 else {
      throw .unsupported("axis \(axis), which is the batch")
    }
    guard -rank..<0 ~= axis || 1...rank ~= axis else {
      throw .invalid(
        "an axis is out of range", received: "axis \(axis)",
        needs: "1 to \(rank), or -1 to -\(rank)")
    }
    let exampleAxis = axis < 0 ? axis + rank : axis - 1
    return rank == 1 ? 2 : exampleAxis
  }

  /// The axes of the Forge tensor for some of Keras, in order.
  func axes(_ axes: [Int]) throws(KerasFault) -> [Int] {
    var forgeAxes: [Int] = []
    for axis in axes { forgeAxes.append(try self.axis(axis)) }
    return forgeAxes.sorted()
  }

  /// The Forge sizes of a shape in Keras without the batch.
  static func forgeSizes(_ sizes: [Int]) -> [Int] { sizes.count == 1 ? [1, 1] + sizes : sizes }
}
