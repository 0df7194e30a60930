import Forge

/// Where updates go, if that is known while importing.
///
/// The data is seen as rows of equal length. Each row of the updates replaces one of them, or is
/// combined with it.
struct ONNXScatterPlaces {
  /// The number of rows of the data.
  let rowCount: Int
  /// The number of elements of a row.
  let row: Int
  /// For each row of the updates that of the data.
  let targets: [Int]

  /// The largest number of rows.
  private static let most = 1 << 24

  /// The places of `ScatterElements`: one for each element.
  ///
  /// - Throws: ``NodeFailure`` for sizes that do not fit and places that the data does not have.
  static func elements(
    _ indices: HostTensor, data: [Int], updates: [Int], axis: Int
  ) throws -> ONNXScatterPlaces {
    try checkElements(indices.sizes, data: data, updates: updates, axis: axis)
    let count = try counted(data)
    try ImportBudget.take(indices.count, width: MemoryLayout<Int>.size)
    let (strides, updateStrides) = (Shape.strides(of: data), Shape.strides(of: updates))
    let targets = try indices.integers().enumerated().map { offset, index in
      var (rest, place) = (offset, 0)
      for other in updates.indices {
        let position =
          other == axis
          ? try ONNXCall.place(Int(index), of: data[axis]) : rest / updateStrides[other]
        place += position * strides[other]
        rest %= updateStrides[other]
      }
      return place
    }
    return ONNXScatterPlaces(rowCount: count, row: 1, targets: targets)
  }

  /// Checks the sizes of `ScatterElements`.
  ///
  /// - Throws: ``NodeFailure``.
  static func checkElements(
    _ indices: [Int], data: [Int], updates: [Int], axis: Int
  ) throws {
    let fits = data.indices.allSatisfy {
      $0 == axis || ($0 < updates.count && updates[$0] <= data[$0])
    }
    guard indices == updates, updates.count == data.count, fits else {
      throw NodeFailure.invalid("updates \(updates) at indices \(indices) of \(data)")
    }
  }

  /// Checks places that are known along an axis of some size.
  ///
  /// - Throws: ``NodeFailure`` for one that the axis does not have.
  static func checkIndices(_ indices: HostTensor, of size: Int) throws {
    try ImportBudget.take(indices.count, width: MemoryLayout<Int>.size)
    for index in try indices.integers() { _ = try ONNXCall.place(Int(index), of: size) }
  }

  /// The places of `ScatterND`: the last axis of the indices has one along each leading axis.
  ///
  /// - Throws: ``NodeFailure`` for sizes that do not fit and places that the data does not have.
  static func slices(
    _ indices: HostTensor, data: [Int], updates: [Int]
  ) throws -> ONNXScatterPlaces {
    let depth = try checkSlices(indices.sizes, data: data, updates: updates)
    _ = try counted(data)
    let outer = Array(data[..<depth])
    try ImportBudget.take(indices.count, width: MemoryLayout<Int>.size)
    let strides = Shape.strides(of: outer)
    let numbers = try indices.integers()
    let targets = try stride(from: 0, to: numbers.count, by: depth).map { start in
      try outer.indices.reduce(0) { place, axis in
        let index = try ONNXCall.place(Int(numbers[start + axis]), of: outer[axis])
        return place + index * strides[axis]
      }
    }
    return ONNXScatterPlaces(
      rowCount: outer.reduce(1, *), row: data[depth...].reduce(1, *), targets: targets)
  }

  /// Checks the sizes of `ScatterND`.
  ///
  /// - Returns: the number of leading axes that the indices choose from.
  /// - Throws: ``NodeFailure``.
  static func checkSlices(_ indices: [Int], data: [Int], updates: [Int]) throws -> Int {
    guard let depth = indices.last, (1...max(data.count, 1)).contains(depth), !data.isEmpty,
      updates == Array(indices.dropLast()) + data[depth...]
    else { throw NodeFailure.invalid("updates \(updates) at indices \(indices) of \(data)") }
    return depth
  }

  private static func counted(_ sizes: [Int]) throws -> Int {
    guard let count = Shape.product(of: sizes), count <= most else {
      throw NodeFailure.unsupported("places in \(sizes)")
    }
    return count
  }

  /// The same places with neighboring rows as one, where they always stay neighbors.
  ///
  /// A slice that is assigned has a place for each element; as rows it is copied faster.
  func inBlocks() -> ONNXScatterPlaces {
    var block = Self.greatestDivisor(rowCount, targets.count)
    for (index, target) in targets.enumerated() where block > 1 {
      // Where neighbors part, a block begins, in the updates and in the data.
      if index > 0, targets[index - 1] == target - 1 { continue }
      block = Self.greatestDivisor(Self.greatestDivisor(block, index), target)
    }
    guard block > 1 else { return self }
    return ONNXScatterPlaces(
      rowCount: rowCount / block, row: row * block,
      targets: stride(from: 0, to: targets.count, by: block).map { targets[$0] / block })
  }

  private static func greatestDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestDivisor(b, a % b)
  }

  // MARK: Known values

  /// The data with the updates; both are known.
  func scattered(
    _ data: HostTensor, _ updates: HostTensor, _ combination: ScatterCombination
  ) throws -> HostTensor {
    var result = HostTensor(type: data.type, sizes: data.sizes)
    result.held = try ImportBudget.hold(data.count, width: data.width)
    try ImportBudget.take(updates.count, width: 0)
    if data.isInteger {
      let type = data.type
      result.storage = .integers(
        put(try updates.integers(), into: try data.integers()) { old, new in
          switch combination {
          case .replace: new
          case .add: (old &+ new).wrapped(to: type)
          case .multiply: (old &* new).wrapped(to: type)
          case .maximum: max(old, new)
          case .minimum: min(old, new)
          }
        })
    } else {
      let type = data.type
      result.storage = .floats(
        put(try updates.floats(), into: try data.floats()) { old, new in
          switch combination {
          case .replace: new
          case .add: (old + new).rounded(to: type)
          case .multiply: (old * new).rounded(to: type)
          case .maximum: old.isNaN || new.isNaN ? .nan : max(old, new)
          case .minimum: old.isNaN || new.isNaN ? .nan : min(old, new)
          }
        })
    }
    return result
  }

  private func put<Element>(
    _ updates: [Element], into data: [Element], _ combine: (Element, Element) -> Element
  ) -> [Element] {
    var data = data
    for (index, target) in targets.enumerated() {
      for element in 0..<row {
        let place = target * row + element
        data[place] = combine(data[place], updates[index * row + element])
      }
    }
    return data
  }
}
