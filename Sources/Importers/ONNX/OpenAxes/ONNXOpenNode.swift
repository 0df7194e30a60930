import Forge

/// A node with an open size, as the rules of operators see it.
struct ONNXOpenNode {
  /// The node with the size of the import, and with a multiple of it.
  let call, larger: ONNXCall
  /// Where the open size is in each input; `nil` where it is not.
  let places: [ONNXOpenAxis?]
  /// The open size of the import.
  let base: Int

  /// What a rule throws for a node that does not keep examples apart.
  struct Mixes: Error {}

  /// The sizes of an input.
  func sizes(_ index: Int) throws -> [Int] { try call.value(index).sizes }

  /// The number of axes of an input.
  func rank(_ index: Int) throws -> Int { try sizes(index).count }

  /// Where the open size is in an input.
  func place(_ index: Int) -> ONNXOpenAxis? { places.indices.contains(index) ? places[index] : nil }

  /// The only input with the open size, which must be the first.
  func only() throws -> ONNXOpenAxis {
    guard let place = place(0), places.dropFirst().allSatisfy({ $0 == nil }) else { throw Mixes() }
    return place
  }

  /// An axis of the first input.
  func axis(_ axis: Int, rank: Int? = nil) throws -> Int {
    try ONNXCall.axis(axis, rank: try rank ?? self.rank(0))
  }

  /// The same place for all results.
  func all(_ place: ONNXOpenAxis?) -> [ONNXOpenAxis?] { call.node.outputs.map { _ in place } }

  /// The only input's place, if it is on none of the axes along which a node combines elements.
  func apart(from axes: [Int]) throws -> ONNXOpenAxis {
    let place = try only()
    guard !axes.contains(place.axis) else { throw Mixes() }
    return place
  }

  /// The place in the result of a broadcast, on which all inputs with the open size must agree.
  func broadcast(rank: Int? = nil, from first: Int = 0) throws -> ONNXOpenAxis {
    let inputs = call.inputs.indices.dropFirst(first).filter { call.inputs[$0] != nil }
    let most = try rank ?? inputs.map { try self.rank($0) }.max() ?? 0
    var common: ONNXOpenAxis?
    for index in inputs {
      guard let place = place(index) else { continue }
      let moved = place.on(place.axis + most - (try self.rank(index)))
      guard common == nil || common == moved else { throw Mixes() }
      common = moved
    }
    guard let common else { throw Mixes() }
    // Other inputs repeat along the axis; one of as many elements would belong to one example.
    for index in inputs where place(index) == nil {
      let axis = common.axis - most + (try self.rank(index))
      guard try axis < 0 || sizes(index)[axis] == 1 else { throw Mixes() }
    }
    return common
  }

  /// The place behind a reshape, before which the order of the elements is that after it.
  func reshaped() throws -> ONNXOpenAxis {
    let place = try only()
    let (from, to) = (try sizes(0), call.outputs[0]?.sizes ?? [])
    let more = larger.outputs[0]?.sizes ?? []
    guard to.count == more.count else { throw Mixes() }
    let changed = to.indices.filter { to[$0] != more[$0] }
    guard changed.count == 1, let axis = changed.first else { throw Mixes() }
    let before = from[..<place.axis].reduce(place.outer, *)
    let outside = to[..<axis].reduce(1, *)
    guard outside > 0, before.isMultiple(of: outside) else { throw Mixes() }
    let outer = before / outside
    guard to[axis].isMultiple(of: outer * base) else { throw Mixes() }
    let inner = to[axis] / (outer * base)
    // The elements of an example that are neighbors stay so.
    let after = from[(place.axis + 1)...].reduce(place.inner, *)
    guard after == to[(axis + 1)...].reduce(inner, *) else { throw Mixes() }
    return ONNXOpenAxis(axis: axis, outer: outer, inner: inner)
  }
}
