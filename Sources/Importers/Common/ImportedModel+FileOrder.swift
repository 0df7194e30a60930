import Forge

/// Values between the order of the file, which is that of its original program, and Forge's.
extension ImportedModel.Port {
  /// Turns values in the order of the file into Forge's tensor.
  ///
  /// The order is that of an array of the original program, the last axis of ``sizes`` innermost,
  /// as NumPy has it; Forge's is height, width, channels for images. For each axis of Forge's
  /// tensor, ``axes`` says which axis of the file it is:
  ///
  /// ```swift
  /// let port = ImportedModel.Port(name: "image", sizes: [1, 3, 480, 640], axes: [2, 3, 1])
  /// let image = try port.forgeValues(pixels)  // 480×640×3
  /// ```
  ///
  /// - Parameters:
  ///   - floats: the values of one example.
  ///   - sizes: the sizes of the array, where the length of a sequence or a number of rows makes
  ///     them smaller than those of the file; `nil` for ``sizes``.
  /// - Returns: the tensor, which networks predict from.
  /// - Throws: ``ImportError`` of kind `parameter` when the sizes do not fit those of the file, or
  ///   the values do not fill them.
  public func forgeValues(
    _ floats: [Float], sizes: [Int]? = nil
  ) throws(ImportError) -> TensorValues {
    let sizes = sizes ?? self.sizes
    let forge = try forgeSizes(sizes, count: floats.count)
    let strides = Shape.strides(of: sizes)
    let gathered = Self.gather(
      floats, from: 0, sizes: forge, strides: axes.map { $0.map { strides[$0] } ?? 0 })
    return TensorValues(shape: Shape(sizes: forge), values: gathered)
  }

  /// Turns values of Forge's tensor into the order of the file; see ``forgeValues(_:sizes:)``.
  ///
  /// - Parameters:
  ///   - floats: the values of one example in Forge's order.
  ///   - sizes: the sizes of the array that results, where the length of a sequence or a number of
  ///     rows makes them smaller than those of the file; `nil` for ``sizes``.
  /// - Returns: the values, the last axis of the file innermost.
  /// - Throws: ``ImportError`` of kind `parameter` when the sizes do not fit those of the file, or
  ///   the values do not fill them.
  public func fileValues(
    _ floats: [Float], sizes: [Int]? = nil
  ) throws(ImportError) -> [Float] {
    let sizes = sizes ?? self.sizes
    let forgeStrides = Shape.strides(of: try forgeSizes(sizes, count: floats.count))
    let strides = sizes.indices.map { axis in
      axes.firstIndex(of: axis).map { forgeStrides[$0] } ?? 0
    }
    return Self.gather(floats, from: 0, sizes: sizes, strides: strides)
  }

  /// The sizes of Forge's tensor for some sizes in the file.
  private func forgeSizes(_ stated: [Int], count: Int) throws(ImportError) -> [Int] {
    func fits(_ axis: Int) -> Bool {
      let (fileSize, size) = (sizes[axis], stated[axis])
      guard size >= 0, fileSize >= 0, size != fileSize else { return size >= 0 }
      return size < fileSize && (lengthAxes.contains(axis) || rows?.axis == axis)
    }
    let used = axes.compactMap(\.self)
    guard stated.count == sizes.count, stated.indices.allSatisfy(fits),
      used.allSatisfy(stated.indices.contains), Set(used).count == used.count
    else {
      throw ImportError(
        .parameter, "the sizes do not fit \"\(name)\"",
        received: StoredTensor.text(of: stated), needs: sizesText)
    }
    let forge = axes.map { $0.map { stated[$0] } ?? 1 }
    guard let needed = Shape.product(of: stated), needed == count,
      Shape.product(of: forge) == count
    else {
      throw ImportError(
        .parameter, "the values do not fill \"\(name)\"",
        received: ImportError.counted(count, "value"), needs: StoredTensor.text(of: stated))
    }
    return forge
  }

  /// The elements at all positions of `sizes` in row-major order; positions outside are 0.
  private static func gather(
    _ values: [Float], from start: Int, sizes: [Int], strides: [Int]
  ) -> [Float] {
    guard let count = Shape.product(of: sizes), count > 0 else { return [] }
    var result: [Float] = []
    result.reserveCapacity(count)
    var position = Array(repeating: 0, count: sizes.count)
    var offset = start
    while true {
      result.append(values.indices.contains(offset) ? values[offset] : 0)
      var axis = sizes.count - 1
      while axis >= 0 {
        position[axis] += 1
        offset += strides[axis]
        if position[axis] < sizes[axis] { break }
        offset -= position[axis] * strides[axis]
        position[axis] = 0
        axis -= 1
      }
      if axis < 0 { return result }
    }
  }
}
