import Forge

/// A tensor of the network as the file sees it: with the file's sizes and axis order.
///
/// Forge's tensor has its axes in another order, usually height, width, channels, and lacks axes of
/// size 1 such as the batch. A transposition or reshape in the file often only changes the layout.
package struct FileTensor: Sendable {
  /// The tensor of the network.
  package let tensor: Tensor
  /// The sizes in the file, outermost first.
  package let sizes: [Int]
  /// For each axis of ``tensor`` the axis of the file; `nil` for an additional axis of size 1.
  ///
  /// Axes of the file that are missing have size 1.
  package let layout: [Int?]
  /// The element type in the file; the network computes in Float32.
  package var type: ElementType
  /// The image that this tensor holds flattened, in the order of the file.
  ///
  /// A dense layer reads the image itself, with its weights reordered.
  package var flattened: Flattened?

  /// The image in front of a flattening.
  package final class Flattened: Sendable {
    /// The image.
    package let image: FileTensor

    init(_ image: FileTensor) { self.image = image }
  }

  /// Creates a file tensor of given sizes.
  package init(
    _ tensor: Tensor, sizes: [Int], layout: [Int?], type: ElementType = .float32
  ) {
    self.tensor = tensor
    self.sizes = sizes
    self.layout = layout
    self.type = type
  }

  /// Creates a file tensor whose sizes are those of the network's tensor; other axes have size 1.
  package init(
    _ tensor: Tensor, layout: [Int?], rank: Int, type: ElementType = .float32
  ) {
    var sizes = Array(repeating: 1, count: rank)
    for (axis, size) in zip(layout, tensor.shape?.dimensions ?? []) {
      if let axis, let size { sizes[axis] = size }
    }
    self.init(tensor, sizes: sizes, layout: layout, type: type)
  }

  /// The number of axes in the file.
  package var rank: Int { sizes.count }
  /// The number of elements.
  package var count: Int { sizes.reduce(1, *) }

  /// The axis of ``tensor`` that holds an axis of the file.
  package func position(of axis: Int) -> Int? { layout.firstIndex(of: axis) }

  /// The layout without additional axes and axes of size 1.
  private static func core(_ layout: [Int?], _ sizes: [Int]) -> [Int] {
    layout.compactMap { $0 }.filter { sizes[$0] != 1 }
  }

  /// The usual layout of a tensor of these sizes: channels last for images, without a batch of 1.
  package static func usualLayout(_ sizes: [Int]) -> [Int?] {
    switch sizes.count {
    case 0: [nil]
    case 1: [0]
    case 2: sizes[0] == 1 ? [nil, nil, 1] : [0, 1]
    case 3: sizes[0] == 1 ? [2, 1] : [0, 2, 1]
    case 4: sizes[0] == 1 ? [2, 3, 1] : [0, 2, 3, 1]
    default: Array(0..<sizes.count)
    }
  }

  /// The axes in the order of the file.
  package static func fileLayout(_ sizes: [Int]) -> [Int?] {
    sizes.isEmpty ? [nil] : Array(sizes.indices)
  }

  /// The network's tensor with its axes in another layout.
  ///
  /// - Parameter target: the layout, which must hold every axis of a size other than 1 once.
  /// - Returns: the tensor, behind a permutation and reshapes where they are needed.
  package func tensor(as target: [Int?]) -> Tensor {
    guard target != layout else { return tensor }
    let current = layout.map { $0.map { sizes[$0] } ?? 1 }
    let wanted = target.map { $0.map { sizes[$0] } ?? 1 }
    let (from, to) = (Self.core(layout, sizes), Self.core(target, sizes))
    var result = tensor
    if from != to {
      let middle = from.map { sizes[$0] }
      if middle != current { result = result.reshaped(to: middle) }
      let order = to.map { axis in from.firstIndex(of: axis) ?? 0 }
      result = result.chained(to: Permute(order: order))
      if to.map({ sizes[$0] }) != wanted { result = result.reshaped(to: wanted) }
    } else if current != wanted {
      result = result.reshaped(to: wanted)
    }
    return result
  }

  /// The same values in another layout.
  package func arranged(as target: [Int?]) -> FileTensor {
    guard target != layout else { return self }
    var result = FileTensor(tensor(as: target), sizes: sizes, layout: target, type: type)
    result.flattened = flattened
    return result
  }

  /// The same tensor as another value of the file: sizes and axes of size 1 changed by a squeeze.
  ///
  /// - Parameters:
  ///   - sizes: the new sizes.
  ///   - axes: for each old axis its new number; `nil` if it is gone, which needs size 1.
  /// - Returns: the same tensor of the network under these sizes.
  func relabelled(sizes: [Int], axes: [Int?]) -> FileTensor {
    let layout = layout.map { $0.flatMap { axes[$0] } }
    return FileTensor(tensor, sizes: sizes, layout: layout, type: type)
  }
}
