import ForgeShapes

/// A tensor of double-precision values, for the reference implementations.
package struct ReferenceTensor: Hashable, Sendable {
  /// The sizes in memory order, outermost first.
  package let sizes: [Int]
  /// The values in row-major order.
  package internal(set) var values: [Double]

  /// Creates a tensor of the given values.
  ///
  /// - Throws: ``ReferenceError`` when a size is below 1, or the number of values does not match
  ///   the sizes.
  package init(sizes: [Int], values: [Double]) throws(ReferenceError) {
    do { _ = try SizeRule.bounded(Shape(sizes: sizes)) } catch { throw .badSizes(sizes) }
    let count = sizes.reduce(1, *)
    guard count == values.count else {
      throw .wrongElementCount("values", values.count, sizes: sizes)
    }
    self.init(unchecked: sizes, values)
  }

  /// Creates a tensor of the given values, with the checks of ``init(sizes:values:)``.
  package init(sizes: [Int], floats: [Float]) throws(ReferenceError) {
    try self.init(sizes: sizes, values: floats.map(Double.init))
  }

  /// Creates a tensor without checking that the number of values matches the sizes.
  init(unchecked sizes: [Int], _ values: [Double]) {
    self.sizes = sizes
    self.values = values
  }

  /// Creates a tensor from the value at each index.
  init(_ sizes: [Int], _ value: (_ index: [Int]) -> Double) {
    var values: [Double] = []
    var index = Array(repeating: 0, count: sizes.count)
    for _ in 0..<sizes.reduce(1, *) {
      values.append(value(index))
      // The last axis changes fastest; an axis at its end carries into the one before it.
      for axis in sizes.indices.reversed() {
        index[axis] += 1
        if index[axis] < sizes[axis] { break }
        index[axis] = 0
      }
    }
    self.init(unchecked: sizes, values)
  }

  /// Creates an image from the channels of each pixel.
  init(image sizes: [Int], _ pixel: (_ y: Int, _ x: Int) -> [Double]) {
    var values: [Double] = []
    values.reserveCapacity(sizes.reduce(1, *))
    for y in 0..<sizes[0] {
      for x in 0..<sizes[1] { values += pixel(y, x) }
    }
    self.init(unchecked: sizes, values)
  }

  /// The number of values.
  package var count: Int { values.count }

  /// The values, each rounded to the nearest Float.
  package var floats: [Float] { values.map(Float.init) }

  /// The shape.
  var shape: Shape { Shape(sizes: sizes) }

  /// The size of the last axis.
  var lastSize: Int { sizes.last ?? 1 }

  /// The height of an image.
  var height: Int { sizes[0] }
  /// The width of an image.
  var width: Int { sizes[1] }
  /// The channels of an image.
  var channels: Int { sizes[2] }

  /// The offset of the first channel of a pixel.
  func offset(y: Int, x: Int) -> Int { (y * width + x) * channels }

  /// A value of an image.
  subscript(y: Int, x: Int, channel: Int) -> Double { values[offset(y: y, x: x) + channel] }

  /// The channels of a pixel of an image.
  func pixel(y: Int, x: Int) -> [Double] { Array(values[offset(y: y, x: x)...].prefix(channels)) }

  /// Applies `function` to each value.
  func map(_ function: (Double) -> Double) -> ReferenceTensor {
    ReferenceTensor(unchecked: sizes, values.map(function))
  }

  /// The offset of an index.
  func offset(of index: [Int]) -> Int {
    zip(index, sizes).reduce(0) { $0 * $1.1 + $1.0 }
  }
}
