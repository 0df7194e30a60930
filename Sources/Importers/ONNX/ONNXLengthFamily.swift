import Forge

/// A tensor that depends on the length of the sequences alone, such as their positions or a causal
/// mask: a known tensor for each length.
///
/// It is computed while importing, for some lengths. Where a network needs it, it is a part of the
/// one for the largest length, if those of the other lengths are.
struct ONNXLengthFamily: Sendable {
  /// The largest length.
  let maximum: Int
  /// The tensors for the lengths of `LengthSize.samples(upTo:)`, the one for the largest first.
  let tensors: [HostTensor]
  /// The sizes for each length.
  let sizes: [LengthSize]

  /// The largest number of elements; larger tensors are computed in predictions.
  private static let mostElements = 1 << 18
  /// The largest number of elements of a table whose rows are taken while importing.
  private static let mostTableElements = 1 << 16

  /// The result of a node for known values.
  enum Result {
    case value(FileValue)
    case family(ONNXLengthFamily)
  }

  /// Computes a node whose inputs are known for every length; `nil` for other nodes.
  ///
  /// - Parameter call: the node, whose inputs that are families have no values.
  /// - Returns: what the node makes.
  /// - Throws: what reading the file throws.
  static func fold(_ call: ONNXCall) throws -> Result? {
    let found = ONNXOperators.find(call.node)
    var maximum: Int?
    for (index, input) in call.inputs.enumerated() {
      if let family = call.family(index) {
        maximum = family.maximum
        continue
      }
      switch input {
      case .length(let tensor)?: maximum = tensor.maximum
      case .host(let host)?:
        if case .rows? = found?.fold, host.count > mostTableElements { return nil }
      case nil: break
      case .network?: return nil
      }
    }
    // Sizes are known even where values are not.
    if case .measured? = found?.sizes { return nil }
    guard let maximum, call.outputs.count == 1 else { return nil }
    var tensors: [HostTensor] = []
    for (sample, length) in LengthSize.samples(upTo: maximum).enumerated() {
      var single = call
      for (index, input) in call.inputs.enumerated() {
        if let family = call.family(index) {
          single.inputs[index] = .host(family.tensors[sample])
        } else if case .length(let tensor)? = input {
          guard let host = tensor.host(length: length) else { return nil }
          single.inputs[index] = .host(host)
        }
      }
      // A node that is wrong for some length is refused where it is computed in predictions.
      guard (try? ONNXFolding.fold(&single)) == true, case .host(let tensor)? = single.outputs[0],
        tensor.count <= mostElements
      else { return nil }
      tensors.append(tensor)
    }
    return try result(tensors, maximum)
  }

  private static func result(_ tensors: [HostTensor], _ maximum: Int) throws -> Result? {
    let longest = tensors[0], lengths = LengthSize.samples(upTo: maximum)
    guard !longest.sizes.contains(0), tensors.allSatisfy({ $0.sizes.count == longest.sizes.count })
    else { return nil }
    let sizes = longest.sizes.indices.compactMap { axis in
      LengthSize(through: zip(lengths, tensors).map { ($0, $1.sizes[axis]) })
    }
    guard sizes.count == longest.sizes.count else { return nil }
    if sizes.allSatisfy({ $0.constant != nil }), longest.isInteger, longest.count <= 64 {
      let values = try tensors.map { try $0.integers() }
      let numbers = (0..<longest.count).compactMap { index in
        LengthSize(through: zip(lengths, values).map { ($0, Int(clamping: $1[index])) })
      }
      guard numbers.count == longest.count else { return nil }
      return .value(
        LengthTensor(type: longest.type, sizes: longest.sizes, numbers: numbers, maximum: maximum)
          .value)
    }
    return .family(ONNXLengthFamily(maximum: maximum, tensors: tensors, sizes: sizes))
  }

  /// The number of elements that are kept.
  var count: Int { tensors.reduce(0) { $0.addingSaturated($1.count) } }

  /// Whether the numbers of every length are 0, 1, 2 and so on.
  var countsUp: Bool {
    tensors.allSatisfy { tensor in
      tensor.isInteger
        && (try? tensor.integers().enumerated().allSatisfy { $0.offset == $0.element }) == true
    }
  }

  /// Whether rows of numbers are all positions along axes in order, for every length.
  func countsUp(along axes: [LengthSize]) throws -> Bool {
    for (tensor, length) in zip(tensors, LengthSize.samples(upTo: maximum)) {
      let sizes = axes.compactMap { $0[length] }.filter { $0 > 0 }
      guard sizes.count == axes.count else { return false }
      let strides = Shape.strides(of: sizes)
      let numbers = try tensor.integers()
      for row in 0..<numbers.count / max(axes.count, 1) {
        var rest = row
        for axis in axes.indices {
          guard numbers[row * axes.count + axis] == rest / strides[axis] else { return false }
          rest %= strides[axis]
        }
      }
    }
    return true
  }

  /// The tensor of the network, if the tensors are parts of the longest; else `nil`.
  func network() throws -> FileTensor? {
    let longest = tensors[0]
    let values = try longest.floats()
    if longest.isInteger {
      // Float has all whole numbers up to 2²⁴.
      guard try longest.integers().allSatisfy({ $0.magnitude <= 1 << 24 }) else { return nil }
    }
    for tensor in tensors.dropFirst() {
      guard zip(tensor.sizes, longest.sizes).allSatisfy({ $0 <= $1 }),
        try isPart(tensor.floats(), tensor.sizes, of: values, longest.sizes)
      else { return nil }
    }
    let constant = try ONNXCall.lengthConstant(longest, maximum: maximum)
    let cuts = sizes.indices.filter { sizes[$0].constant == nil }.map {
      ONNXLengths.Cut(axis: $0, start: LengthSize(0), end: sizes[$0])
    }
    return cuts.isEmpty ? constant : try ONNXLengths.cut(constant, cuts, maximum)
  }

  /// Whether values are the first ones along each axis of others.
  private func isPart(
    _ part: [Float], _ sizes: [Int], of values: [Float], _ fullSizes: [Int]
  ) -> Bool {
    let row = sizes.last ?? 1, fullRow = fullSizes.last ?? 1
    guard row > 0 else { return true }
    let (outer, strides) = (Array(sizes.dropLast()), Shape.strides(of: fullSizes).dropLast())
    for start in stride(from: 0, to: part.count, by: row) {
      var rest = start / row
      var position = 0
      for (size, stride) in zip(outer, strides).reversed() {
        position += rest % size * stride
        rest /= size
      }
      for index in 0..<min(row, fullRow)
      where part[start + index].bitPattern != values[position + index].bitPattern { return false }
    }
    return true
  }
}

extension LengthTensor {
  /// The numbers for a length; `nil` if one is out of bounds.
  func host(length: Int) -> HostTensor? {
    let values = numbers.compactMap { $0[length] }
    guard values.count == numbers.count else { return nil }
    if type.isInteger {
      return HostTensor(integers: values.map { Int64($0) }, sizes: sizes, type: type)
    }
    guard values.allSatisfy({ abs($0) <= 1 << 24 }) else { return nil }
    return HostTensor(floats: values.map { Float($0) }, sizes: sizes)
  }
}
