import Forge
import ForgeLoaders

/// Slices of tensors: `x[:, 1:-1, ::2]`, which includes the batch, and splits.
enum KerasSlices {
  static let functions: [KerasFunction] = [
    KerasFunction("get_item", "getitem", activation: .none, build: item),
    KerasFunction("split", activation: .none, build: split),
  ]

  /// One index of a slice.
  private enum Index {
    case all
    case range(start: Int?, end: Int?, step: Int)
    case one(Int)
    case ellipsis
  }

  private static func index(_ json: JSONValue) throws(KerasFault) -> Index {
    if let one = json.wholeNumber { return .one(one) }
    if json.text == "..." || json["class_name"]?.text == "__ellipsis__" { return .ellipsis }
    var parts: [JSONValue?]
    if json["class_name"]?.text == "__slice__" {
      let config = json["config"]
      parts = [config?["start"], config?["stop"], config?["step"]]
    } else if json.object != nil {
      parts = [json["start"], json["stop"], json["step"]]
    } else {
      throw .unsupported("an index that is neither a number nor a range")
    }
    parts = parts.map { $0?.isNull == true ? nil : $0 }
    guard parts.allSatisfy({ $0 == nil || $0?.wholeNumber != nil }) else {
      throw .unsupported("an index that is neither a number nor a range")
    }
    if parts.allSatisfy({ $0 == nil }) { return .all }
    return .range(
      start: parts[0]?.wholeNumber, end: parts[1]?.wholeNumber, step: parts[2]?.wholeNumber ?? 1)
  }

  private static func item(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let input = call.inputs.first, call.inputs.count == 1,
        let json = call.value("key", "slice_spec", at: 1)?.json
      else { throw .unsupported("an index that is a tensor") }
      // A tuple of Python is a list, or an object around one.
      let list = json.array ?? json["items"]?.array ?? json["config"]?["items"]?.array ?? [json]
      var indices: [Index] = []
      for item in list { indices.append(try index(item)) }
      return try sliced(input, indices, call)
    }
  }

  private static func sliced(
    _ input: KerasTensor, _ given: [Index], _ call: KerasCall
  ) throws(KerasFault) -> KerasTensor {
    var indices = given
    let ellipsis = indices.firstIndex { if case .ellipsis = $0 { true } else { false } }
    let missing = max(input.rank + 1 - (indices.count - (ellipsis == nil ? 0 : 1)), 0)
    let filling = Array(repeating: Index.all, count: missing)
    if let ellipsis {
      indices.replaceSubrange(ellipsis...ellipsis, with: filling)
    } else {
      indices += filling
    }
    guard indices.count == input.rank + 1, case .all = indices[0] else {
      throw .unsupported("an index of the batch")
    }
    var starts: [Int] = []
    var ends: [Int] = []
    var axes: [Int] = []
    var steps: [Int] = []
    var dropped: Set<Int> = []
    for (position, index) in indices.enumerated().dropFirst() {
      let axis = try input.axis(position)
      switch index {
      case .all: continue
      case .ellipsis: throw .unsupported("two ellipses")
      case .one(let one):
        dropped.insert(position - 1)
        starts.append(one)
        ends.append(one == -1 ? .max : one.addingSaturated(1))
        steps.append(1)
      case .range(let start, let end, let step):
        starts.append(start ?? (step < 0 ? .max : 0))
        ends.append(end ?? (step < 0 ? .min : .max))
        steps.append(step)
      }
      axes.append(axis)
    }
    guard !axes.isEmpty else { return try KerasStep.identity.only(call) }
    let slice = Slice(
      starts: starts, ends: ends, axes: axes, steps: steps, name: dropped.isEmpty ? call.name : nil)
    let result = try call.apply(slice, to: input)
    guard !dropped.isEmpty else { return result }
    let sizes = try result.knownSizes("known sizes for an index")
    let rest = sizes.indices.filter { !dropped.contains($0) }.map { sizes[$0] }
    guard !rest.isEmpty else { throw .unsupported("a result without axes besides the batch") }
    return KerasTensor(
      tensor: try call.apply(
        result.tensor.reshape(to: KerasTensor.forgeSizes(rest), name: call.name),
        to: result.tensor),
      rank: rest.count)
  }

  /// Several outputs: equal parts, or parts that begin at indices.
  private static func split(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    KerasStep { call throws(KerasFault) in
      let input = try call.only()
      let axis = try input.axis(try call.integer(call.value("axis", at: 2), default: 0))
      guard let size = input.tensor.shape?.dimensions[axis],
        let parts = call.value("indices_or_sections", "num_or_size_splits", at: 1)?.json
      else { throw .unsupported("an unknown size") }
      var bounds = [0]
      if let count = parts.wholeNumber {
        guard 1...4096 ~= count, size.isMultiple(of: count) else {
          throw .unsupported("parts of different sizes")
        }
        bounds = (0...count).map { $0 * (size / count) }
      } else if let list = parts.wholeNumbers, list.count <= 4096 {
        // TensorFlow states the sizes of the parts, Keras where they begin.
        if layer.isOperation {
          bounds += list + [size]
        } else {
          for part in list { bounds.append((bounds.last ?? 0).addingSaturated(part)) }
        }
      }
      guard bounds.count > 1, bounds.last == size else { throw .unsupported("these parts") }
      var results: [KerasTensor] = []
      for (number, (start, end)) in zip(bounds, bounds.dropFirst()).enumerated() {
        let slice = Slice(
          starts: [start], ends: [end], axes: [axis],
          name: number == 0 ? call.name : "\(call.name)/\(number)")
        results.append(try call.apply(slice, to: input))
      }
      return results
    }
  }
}
