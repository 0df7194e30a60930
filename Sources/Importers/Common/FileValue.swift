import Forge

/// A value of a file while its network is imported.
enum FileValue: Sendable {
  /// Known already: a weight, or a folded result.
  case host(HostTensor)
  /// Computed by the network.
  case network(FileTensor)
  /// Numbers that follow the length of a sequence, such as its sizes.
  case length(LengthTensor)

  /// The sizes in the file.
  var sizes: [Int] {
    switch self {
    case .host(let tensor): tensor.sizes
    case .network(let tensor): tensor.sizes
    case .length(let tensor): tensor.sizes
    }
  }

  /// The element type in the file.
  var type: ElementType {
    switch self {
    case .host(let tensor): tensor.type
    case .network(let tensor): tensor.type
    case .length(let tensor): tensor.type
    }
  }

  /// The value with its axes in another order.
  ///
  /// - Throws: ``NodeFailure``.
  func transposed(_ order: [Int]) throws -> FileValue {
    switch self {
    case .host(let tensor): .host(try tensor.transposed(order))
    case .network(let tensor): .network(try tensor.transposed(order))
    case .length: throw Self.followsLength
    }
  }

  /// The value with other sizes of the same product.
  ///
  /// - Throws: ``NodeFailure``.
  func reshaped(to sizes: [Int]) throws -> FileValue {
    guard let count = Shape.product(of: sizes), count == Shape.product(of: self.sizes) else {
      throw NodeFailure.invalid("\(self.sizes) as \(sizes)")
    }
    switch self {
    case .host(let tensor): return .host(tensor.reshaped(sizes))
    case .network(let tensor): return .network(tensor.reshaped(to: sizes))
    case .length: throw Self.followsLength
    }
  }

  /// What an operation throws that takes no ``length(_:)``.
  static var followsLength: NodeFailure {
    .unsupported("numbers that follow the length of a sequence")
  }
}
