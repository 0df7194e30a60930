import Forge

extension FileTensor {
  /// A run of axes of the old sizes that becomes a run of axes of the new sizes; none has size 1.
  struct Group {
    var old: [Int] = []
    var new: [Int] = []
  }

  /// Splits the axes of two lists of sizes of equal products into the smallest runs of equal
  /// products, axes of size 1 left out.
  static func groups(_ old: [Int], _ new: [Int]) -> [Group] {
    var oldAxes = old.indices.filter { old[$0] != 1 }[...]
    var newAxes = new.indices.filter { new[$0] != 1 }[...]
    var groups: [Group] = []
    while let first = oldAxes.popFirst(), let other = newAxes.popFirst() {
      var group = Group(old: [first], new: [other])
      var (a, b) = (old[first], new[other])
      while a != b {
        if a < b, let axis = oldAxes.popFirst() {
          a *= old[axis]
          group.old.append(axis)
        } else if let axis = newAxes.popFirst() {
          b *= new[axis]
          group.new.append(axis)
        } else {
          break
        }
      }
      groups.append(group)
    }
    return groups
  }

  /// The values in the order of the file with other sizes.
  ///
  /// Axes that stay, split or merge as neighbors keep their place in the layout, so the order
  /// of the elements in memory changes only where it must.
  ///
  /// - Parameter new: sizes of the same product.
  /// - Returns: the tensor with these sizes.
  package func reshaped(to new: [Int]) -> FileTensor { reshaped(to: new, lengths: nil) }

  /// The values with other sizes, of which it is stated how they follow the length of a sequence.
  func reshaped(to new: [Int], lengths: [LengthSize]?) -> FileTensor {
    guard new != sizes else { return self }
    let groups = Self.groups(sizes, new)
    // The layout in which the old axes of each group are neighbors in order, and the new one.
    var wanted: [Int?] = []
    var target: [Int?] = []
    var placed: Set<Int> = []
    for axis in layout.compactMap({ $0 }) where sizes[axis] != 1 && !placed.contains(axis) {
      guard let group = groups.first(where: { $0.old.contains(axis) }) else { continue }
      placed.formUnion(group.old)
      wanted += group.old.map { $0 }
      target += group.new.map { $0 }
    }
    let arranged = tensor(as: wanted.isEmpty ? [nil] : wanted)
    if target.isEmpty { target = [nil] }
    let shape = target.map { $0.map { new[$0] } ?? 1 }
    let result =
      arranged.shape?.sizes == shape
      ? arranged
      : arranged.reshaped(
        to: shape,
        lengths: lengths.map { all in target.map { $0.map { all[$0] } ?? LengthSize(1) } })
    var reshaped = FileTensor(result, sizes: new, layout: target, type: type)
    reshaped.flattened = flattening(to: new)
    return reshaped
  }

  /// The image behind a reshape to `new` that flattens it: [1, C, H, W] to [1, C·H·W].
  private func flattening(to new: [Int]) -> Flattened? {
    let values = new.filter { $0 != 1 }
    guard values.count <= 1 else { return nil }
    if let flattened { return flattened }
    guard rank == 4, sizes[0] == 1, layout.compactMap({ $0 }).count >= 1 else { return nil }
    return Flattened(self)
  }
}
