import Forge

/// A ready architecture with arguments that fit a weight file.
struct Variant {
  /// The architecture with its arguments: `mobilenet (alpha 0.25, 1001 classes)`.
  let name: String
  let model: Model
  /// Returns the file's name for a layer, if it differs from the model's own.
  var fileName: (@Sendable (String) -> String?)?
}

extension Architecture {
  /// The variants of this architecture that may match a file with these facts, most likely first.
  func variants(for facts: WeightFacts) -> [Variant] {
    switch self {
    case .lenet:
      return classCounts(facts.widths["fc2"], 10, facts).map { classes in
        variant("\(classes) classes", .leNet(classes: classes))
      }
    case .mobilenet: return mobileNets(facts) + foldedMobileNets(facts)
    case .mobilenetv2: return mobileNetsV2(facts)
    case .inceptionv3:
      return classifiers(facts, fileName: laterNames(facts)) {
        .inceptionV3(classes: $0, head: $1)
      }
    case .resnet50: return classifiers(facts) { .resNet50(classes: $0, head: $1) }
    case .squeezenet:
      return classifiers(facts, last: "conv10") { .squeezeNet(classes: $0, head: $1) }
    case .tinyyolo:
      return classCounts(facts.widths["conv9"], 125, facts).map { channels in
        // Five anchors are usual; the parameters do not determine their number.
        let anchors = channels % 5 == 0 && channels > 25 ? 5 : 1
        let classes = max(channels / anchors - 5, 0)
        return variant(
          "\(anchors) anchors, \(classes) classes",
          .tinyYOLOV2(anchors: anchors, classes: classes))
      }
    case .vgg16: return vgg16s(facts)
    }
  }

  // MARK: Families

  private func variant(
    _ arguments: String, _ model: Model, fileName: (@Sendable (String) -> String?)? = nil
  ) -> Variant {
    Variant(name: "\(rawValue) (\(arguments))", model: model, fileName: fileName)
  }

  /// A classifier for each number of classes that fits, and one without a classifier.
  private func classifiers(
    _ facts: WeightFacts, last: String = "predictions", arguments: String = "",
    fileName: (@Sendable (String) -> String?)? = nil,
    _ model: (_ classes: Int, _ head: Model.Head) -> Model
  ) -> [Variant] {
    let start = arguments.isEmpty ? "" : "\(arguments), "
    return classCounts(facts.widths[last], 1000, facts).map { classes in
      variant("\(start)\(classes) classes", model(classes, .probabilities), fileName: fileName)
    } + [variant("\(start)without a classifier", model(1, .features), fileName: fileName)]
  }

  /// The number of classes in the file; without layer names, all possible numbers.
  private func classCounts(_ stated: Int?, _ usual: Int, _ facts: WeightFacts) -> [Int] {
    stated.map { [$0] } ?? [usual] + facts.soleSizes.filter { $0 != usual }
  }

  /// The layer names in a file written later in a Keras session; `nil` for a fresh session.
  ///
  /// Keras numbers unnamed layers throughout a session, so such a file has higher numbers.
  private func laterNames(_ facts: WeightFacts) -> (@Sendable (String) -> String?)? {
    let first = facts.firstNumbers.filter { ["conv2d", "batch_normalization"].contains($0.key) }
    guard first.values.contains(where: { $0 > 0 }) else { return nil }
    return { layer in
      let (kind, number) = WeightFacts.numbered(layer)
      guard let start = first[kind] else { return layer }
      // The file's number may be so large that the sum overflows.
      let (shifted, overflow) = number.addingReportingOverflow(start)
      return overflow ? nil : shifted == 0 ? kind : "\(kind)_\(shifted)"
    }
  }

  private func mobileNets(_ facts: WeightFacts) -> [Variant] {
    // The widest layer determines the factor most precisely, because channels are rounded down.
    let stated = facts.widths["conv_pw_13_bn"].map { [Double($0) / 1024] }
    return (stated ?? [1, 0.75, 0.5, 0.25]).flatMap { alpha in
      classifiers(facts, last: "conv_preds", arguments: "alpha \(alpha)") {
        .mobileNetV1(alpha: alpha, classes: $0, head: $1)
      }
    }
  }

  /// Variants for weights of the 2017 toolkit, which folds normalizations and uses other names.
  private func foldedMobileNets(_ facts: WeightFacts) -> [Variant] {
    guard let width = facts.widths["conv6_sep"] else { return [] }
    let alpha = Double(width) / 1024
    return classifiers(
      facts, last: "fc7", arguments: "alpha \(alpha), folded",
      fileName: { Self.toolkitNames[$0] ?? $0 }
    ) { .mobileNetV1(alpha: alpha, classes: $0, head: $1, isFolded: true) }
  }

  /// The names of the 2017 toolkit for the layers of MobileNet v1.
  private static let toolkitNames: [String: String] = {
    var names = ["conv_preds": "fc7"]
    let numbers = [
      "2_1", "2_2", "3_1", "3_2", "4_1", "4_2", "5_1", "5_2", "5_3", "5_4", "5_5", "5_6", "6",
    ]
    for (index, number) in numbers.enumerated() {
      names["conv_dw_\(index + 1)"] = "conv\(number)_dw"
      names["conv_pw_\(index + 1)"] = "conv\(number)_sep"
    }
    return names
  }()

  private func mobileNetsV2(_ facts: WeightFacts) -> [Variant] {
    // Published factors are preferred, because rounding to multiples of 8 makes the factor
    // ambiguous.
    let published = [1, 0.75, 0.5, 0.35, 1.3, 1.4]
    let width = facts.widths["block_16_project_BN"]
    let fitting = published.filter { alpha in
      width.map { $0 == WidthMultiplier.multipleOf8(320, by: alpha) } ?? true
    }
    let alphas = fitting.isEmpty ? width.map { [Double($0) / 320] } ?? [] : fitting
    return alphas.flatMap { alpha in
      classifiers(facts, arguments: "alpha \(alpha)") {
        .mobileNetV2(alpha: alpha, classes: $0, head: $1)
      }
    }
  }

  private func vgg16s(_ facts: WeightFacts) -> [Variant] {
    // The width of the map is 1/32 of the picture's.
    let size = facts.flattenedWidth.map { $0 * 32 } ?? 224
    let arguments = size == 224 ? "" : "size \(size)"
    return classifiers(facts, arguments: arguments) {
      .vgg16(size: $1 == .features ? 224 : size, classes: $0, head: $1)
    }
  }
}
