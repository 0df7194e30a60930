import Forge

/// A tensor of a network that is imported, and how it is stored in the world of the file.
///
/// What a caller builds for a layer that only it knows reads and returns such tensors.
public struct ImportedTensor: Sendable {
  /// The tensor of the network.
  public let tensor: Tensor
  /// The sizes in the file, outermost first.
  public let sizes: [Int]
  /// For each axis of ``tensor`` the axis of the file; `nil` for an axis of size 1 that the file
  /// does not have.
  ///
  /// Axes of the file that are missing here have size 1.
  public let axes: [Int?]

  /// Creates a tensor.
  ///
  /// - Parameters:
  ///   - tensor: the tensor of the network.
  ///   - sizes: the sizes in the file, outermost first.
  ///   - axes: for each axis of the tensor the axis of the file.
  public init(_ tensor: Tensor, sizes: [Int], axes: [Int?]) {
    self.tensor = tensor
    self.sizes = sizes
    self.axes = axes
  }

  /// Another tensor of the same sizes and axes, such as a function of each element.
  ///
  /// - Parameter tensor: the tensor of the network.
  /// - Returns: it, as this one is stored.
  public func with(_ tensor: Tensor) -> ImportedTensor {
    ImportedTensor(tensor, sizes: sizes, axes: axes)
  }

  /// The same values with the axes of the file in their order: what a layer reads that counts axes
  /// as the file does.
  public var inFileOrder: ImportedTensor {
    let layout = FileTensor.fileLayout(sizes)
    return ImportedTensor(
      FileTensor(tensor, sizes: sizes, layout: axes).tensor(as: layout), sizes: sizes,
      axes: layout)
  }

  init(_ file: FileTensor) { self.init(file.tensor, sizes: file.sizes, axes: file.layout) }

  /// The tensor for the importer.
  ///
  /// - Throws: ``NodeFailure`` if it is a mistake itself, or if sizes and axes are not its own.
  func checked() throws -> FileTensor {
    if case .failed(let error) = tensor.outcome {
      let text = [error.headline] + error.details.map { "\($0.label) \($0.text)" }
      throw NodeFailure.invalid(text.joined(separator: "; "))
    }
    let known = axes.compactMap { $0 }
    let wide = sizes.indices.filter { sizes[$0] != 1 }
    guard sizes.allSatisfy({ $0 >= 1 }), sizes.count <= Shape.maximumRank,
      known.allSatisfy(sizes.indices.contains), Set(known).count == known.count,
      Set(wide).isSubset(of: known),
      tensor.shape?.sizes == axes.map({ $0.map { sizes[$0] } ?? 1 })
    else {
      throw NodeFailure.invalid(
        "a result \(tensor.shape.map { "\($0)" } ?? "of unknown size") with the sizes \(sizes) and "
          + "the axes \(axes.map { $0.map(String.init) ?? "–" }.joined(separator: ", "))")
    }
    return FileTensor(tensor, sizes: sizes, layout: axes)
  }
}
