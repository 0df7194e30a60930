import Forge

/// The sizes that Reshape, Flatten, Squeeze, Unsqueeze and Transpose of ONNX lead to.
enum ONNXReshape {
  /// The sizes of a Reshape: 0 copies a size, unless `allowzero`, and −1 follows from the others.
  static func target(_ call: ONNXCall, from sizes: [Int]) throws -> [Int] {
    guard var target = try call.ints("shape", input: 1) else {
      throw NodeFailure.invalid("no shape")
    }
    if call.node.int("allowzero") == 0 {
      for (axis, size) in target.enumerated() where size == 0 {
        guard axis < sizes.count else { throw NodeFailure.invalid("size 0 at axis \(axis)") }
        target[axis] = sizes[axis]
      }
    }
    guard target.count <= Shape.maximumRank, target.allSatisfy({ $0 >= -1 }),
      target.count(where: { $0 == -1 }) <= 1,
      let known = Shape.product(of: target.filter { $0 != -1 })
    else { throw NodeFailure.invalid("the shape \(target)") }
    let count = sizes.reduce(1, *)
    if let open = target.firstIndex(of: -1) {
      guard known != 0 else { throw NodeFailure.unsupported("an empty tensor") }
      guard known > 0, count.isMultiple(of: known) else {
        throw NodeFailure.invalid("\(count) values as \(target)")
      }
      target[open] = count / known
    }
    guard Shape.product(of: target) == count else {
      throw NodeFailure.invalid("\(count) values as \(target)")
    }
    return target
  }

  /// The two sizes of a Flatten.
  static func flattened(_ call: ONNXCall, _ sizes: [Int]) throws -> [Int] {
    let stated = call.node.int("axis", 1)
    let axis = stated < 0 ? stated + sizes.count : stated
    guard (0...sizes.count).contains(axis) else {
      throw NodeFailure.invalid("axis \(stated) of a tensor of rank \(sizes.count)")
    }
    return [sizes[..<axis].reduce(1, *), sizes[axis...].reduce(1, *)]
  }

  /// The sizes of a Squeeze, and the new number of each axis that stays.
  static func squeezed(
    _ call: ONNXCall, _ sizes: [Int]
  ) throws -> (sizes: [Int], axes: [Int?]) {
    let stated = try call.ints("axes", input: 1)?.map {
      try ONNXCall.axis($0, rank: sizes.count)
    }
    let gone = Set(stated ?? sizes.indices.filter { sizes[$0] == 1 })
    for axis in gone where sizes[axis] != 1 {
      throw NodeFailure.invalid("axis \(axis) has size \(sizes[axis])")
    }
    let kept = sizes.indices.filter { !gone.contains($0) }
    return (kept.map { sizes[$0] }, sizes.indices.map { kept.firstIndex(of: $0) })
  }

  /// The sizes of an Unsqueeze, and the new number of each axis.
  static func unsqueezed(
    _ call: ONNXCall, _ sizes: [Int]
  ) throws -> (sizes: [Int], axes: [Int?]) {
    let stated = try call.ints("axes", input: 1) ?? []
    let rank = sizes.count + stated.count
    let new = Set(try stated.map { try ONNXCall.axis($0, rank: rank) })
    guard new.count == stated.count, rank <= Shape.maximumRank else {
      throw NodeFailure.invalid("axes \(stated)")
    }
    let old = (0..<rank).filter { !new.contains($0) }
    var result = Array(repeating: 1, count: rank)
    for (axis, size) in zip(old, sizes) { result[axis] = size }
    return (result, old.map { $0 })
  }

  /// The order of a Transpose.
  static func order(_ call: ONNXCall, rank: Int) throws -> [Int] {
    let order = call.node.ints("perm") ?? Array((0..<rank).reversed())
    guard order.sorted() == Array(0..<rank) else {
      throw NodeFailure.invalid("the order \(order) of a tensor of rank \(rank)")
    }
    return order
  }
}
