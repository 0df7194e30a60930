import Forge

/// A value of a file while its network is imported.
enum FileValue: Sendable {
  /// Known already: a weight, or a folded result.
  case host(HostTensor)
  /// Computed by the network.
  case network(FileTensor)

  /// The sizes in the file.
  var sizes: [Int] {
    switch self {
    case .host(let tensor): tensor.sizes
    case .network(let tensor): tensor.sizes
    }
  }

  /// The element type in the file.
  var type: ElementType {
    switch self {
    case .host(let tensor): tensor.type
    case .network(let tensor): tensor.type
    }
  }
}
