import Forge

/// Integers of a graph that follow the length of its sequences, such as the sizes of a tensor.
struct LengthTensor: Sendable {
  /// The element type in the file.
  var type: ElementType
  /// The sizes, which are the same for all lengths.
  var sizes: [Int]
  /// The numbers in row-major order.
  var numbers: [LengthSize]
  /// The largest length.
  let maximum: Int

  /// The value of a graph: known where no number depends on the length.
  var value: FileValue {
    let constants = numbers.compactMap(\.constant)
    guard constants.count == numbers.count else { return .length(self) }
    let host = HostTensor(integers: constants.map { Int64($0) }, sizes: sizes)
    if type.isInteger {
      return .host(HostTensor(integers: constants.map { Int64($0) }, sizes: sizes, type: type))
    }
    return (try? host.cast(to: type)).map { .host($0) } ?? .length(self)
  }
}

extension FileTensor {
  /// The largest length of the sequences that the tensor depends on; `nil` if it depends on none.
  var maximumLength: Int? { tensor.lengths.maximum }

  /// The sizes in the file for each length.
  ///
  /// - Throws: ``NodeFailure`` where they follow no rule.
  func lengthSizes() throws -> [LengthSize] {
    var result = Array(repeating: LengthSize(1), count: sizes.count)
    switch tensor.lengths {
    case .fixed: return sizes.map { LengthSize($0) }
    case .follows(let tensorSizes, let maximum):
      for (axis, size) in zip(layout, tensorSizes) {
        if let axis { result[axis] = size }
      }
      guard zip(result, sizes).allSatisfy({ $0[maximum] == $1 }) else {
        throw NodeFailure.unsupported("sizes that do not follow the length of a sequence")
      }
      return result
    case .fails(let error, _):
      let details = error.details.map { "\($0.label) \($0.text)" }
      throw NodeFailure.unsupported(
        (["work that does not follow the length of a sequence: \(error.headline)"] + details)
          .joined(separator: "; "))
    case .blocked:
      throw NodeFailure.unsupported("sizes that do not follow the length of a sequence")
    }
  }
}

extension FileValue {
  /// The largest length of the sequences that the value depends on; `nil` if it depends on none.
  var maximumLength: Int? {
    switch self {
    case .host: nil
    case .network(let tensor): tensor.maximumLength
    case .length(let tensor): tensor.maximum
    }
  }

  /// The sizes in the file for each length.
  ///
  /// - Throws: ``NodeFailure`` where they follow no rule.
  func lengthSizes() throws -> [LengthSize] {
    switch self {
    case .host, .length: sizes.map { LengthSize($0) }
    case .network(let tensor): try tensor.lengthSizes()
    }
  }
}

extension ONNXCall {
  /// The largest length of the sequences that an input depends on.
  var maximumLength: Int? { inputs.lazy.compactMap { $0?.maximumLength }.first }

  /// An input as numbers that may follow the length; `nil` if it is left out.
  ///
  /// - Throws: ``NodeFailure`` for one that is computed at run time.
  func lengthNumbers(_ index: Int, _ what: String) throws -> [LengthSize]? {
    if index < inputs.count, case .length(let tensor)? = inputs[index] { return tensor.numbers }
    return try knownInts(index, what)?.map { LengthSize($0) }
  }

  /// A constant of which a part that follows the length is taken, with its axes in file order.
  static func lengthConstant(_ host: HostTensor, maximum: Int) throws -> FileTensor {
    let layout = FileTensor.fileLayout(host.sizes)
    let shape = layout.map { $0.map { host.sizes[$0] } ?? 1 }
    guard !shape.contains(0), Shape.product(of: shape) != nil else {
      throw NodeFailure.unsupported("an empty tensor")
    }
    try ImportBudget.keep(host.count, width: MemoryLayout<Float>.size)
    let layer = LengthConstant(
      try host.floats(), shape: Shape(sizes: shape), maximumLength: maximum)
    return FileTensor(
      Tensor.applying(layer, to: []), sizes: host.sizes, layout: layout, type: host.type)
  }

  /// An input as a tensor of the network of which a part that follows the length may be taken.
  func followed(_ index: Int, maximum: Int) throws -> FileTensor {
    if case .host(let host) = try value(index) {
      return try Self.lengthConstant(host, maximum: maximum)
    }
    return try network(index)
  }
}
