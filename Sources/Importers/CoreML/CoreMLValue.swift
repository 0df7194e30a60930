import Forge

/// A value while a Core ML network is imported.
enum CoreMLValue: Sendable {
  /// Known already: a stored constant.
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
}
