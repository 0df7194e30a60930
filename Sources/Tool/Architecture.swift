import ArgumentParser
import Forge
import ForgeModels

/// The ready architectures that commands take by name.
enum Architecture: String, CaseIterable, ExpressibleByArgument {
  case lenet

  /// The network at its published size, without parameters.
  var model: Model {
    switch self {
    case .lenet: .leNet()
    }
  }
}
