import Forge

/// The ready architectures; raw values are their names in the tool.
package enum Architecture: String, CaseIterable, Sendable {
  case lenet
  case mobilenet
  case mobilenetv2
  case inceptionv3
  case tinyyolo
  case squeezenet
  case resnet50
  case vgg16

  /// The network at its published size, without parameters.
  package var model: Model {
    switch self {
    case .lenet: .leNet()
    case .mobilenet: .mobileNetV1()
    case .mobilenetv2: .mobileNetV2()
    case .inceptionv3: .inceptionV3()
    case .tinyyolo: .tinyYOLOV2()
    case .squeezenet: .squeezeNet()
    case .resnet50: .resNet50()
    case .vgg16: .vgg16()
    }
  }
}
