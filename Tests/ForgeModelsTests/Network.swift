import Forge
import ForgeModels
import Testing

/// A network of ForgeModels, by the name of its fixture.
struct Network: Sendable, CustomTestStringConvertible {
  /// The fixture's name.
  let name: String
  /// Makes it; those without a width multiplier ignore alpha.
  let model: @Sendable (Arguments) -> Model
  /// Multiply-adds in millions as its authors or others state them.
  let publishedMillions: Double

  var testDescription: String { name }

  /// What a network is made with.
  struct Arguments: Decodable, Sendable {
    private(set) var alpha: Double?
    let size: Int
    let classes: Int
    private(set) var head = Model.Head.probabilities

    private enum CodingKeys: String, CodingKey {
      case alpha, size, classes
    }

    /// The same arguments with another width multiplier.
    func with(alpha: Double) -> Arguments {
      var arguments = self
      arguments.alpha = alpha
      return arguments
    }

    /// The same arguments with another head.
    func with(head: Model.Head) -> Arguments {
      var arguments = self
      arguments.head = head
      return arguments
    }
  }

  static let all = [
    Network(name: "lenet", model: { .leNet(classes: $0.classes) }, publishedMillions: 6.08),
    Network(
      name: "mobilenet_v1",
      model: {
        .mobileNetV1(alpha: $0.alpha ?? 1, size: $0.size, classes: $0.classes, head: $0.head)
      }, publishedMillions: 569),
    Network(
      name: "mobilenet_v2",
      model: {
        .mobileNetV2(alpha: $0.alpha ?? 1, size: $0.size, classes: $0.classes, head: $0.head)
      }, publishedMillions: 300),
    Network(
      name: "inception_v3",
      model: { .inceptionV3(size: $0.size, classes: $0.classes, head: $0.head) },
      publishedMillions: 5700),
    Network(
      name: "tiny_yolo_v2", model: { .tinyYOLOV2(size: $0.size, classes: $0.classes) },
      publishedMillions: 6970 / 2),
    Network(
      name: "squeezenet",
      model: { .squeezeNet(size: $0.size, classes: $0.classes, head: $0.head) },
      publishedMillions: 720 / 2),
    Network(
      name: "resnet50", model: { .resNet50(size: $0.size, classes: $0.classes, head: $0.head) },
      publishedMillions: 3860),
    Network(
      name: "vgg16", model: { .vgg16(size: $0.size, classes: $0.classes, head: $0.head) },
      publishedMillions: 15500),
  ]

  /// Those that end in classes and can do without.
  static let classifiers = all.filter { !["lenet", "tiny_yolo_v2"].contains($0.name) }
}
