import Forge
import ForgeImporters

/// Values between the order of a file and that of Forge, one by one.
extension ImportedModel.Port {
  /// The sizes of Forge's tensor.
  var forgeSizes: [Int] { axes.map { axis in axis.map { sizes[$0] } ?? 1 } }

  /// For each element of Forge's tensor its place in the file.
  private var places: [Int] {
    var strides = Array(repeating: 1, count: sizes.count)
    for axis in sizes.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * sizes[axis + 1]
    }
    var places = [0]
    for (axis, size) in zip(axes, forgeSizes) {
      let stride = axis.map { strides[$0] } ?? 0
      places = places.flatMap { place in (0..<size).map { place + $0 * stride } }
    }
    return places
  }

  /// Forge's tensor of values in the order of the file.
  func tensor(_ values: [Float]) -> TensorValues {
    TensorValues(shape: Shape(sizes: forgeSizes), values: places.map { values[$0] })
  }

  /// The values of Forge's tensor in the order of the file.
  func values(_ tensor: TensorValues) -> [Float] {
    var result = tensor.values
    for (value, place) in zip(tensor.values, places) { result[place] = value }
    return result
  }
}
