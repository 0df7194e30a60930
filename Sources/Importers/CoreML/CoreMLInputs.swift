import Forge

/// The inputs of a Core ML model: arrays, and images with their preprocessing.
enum CoreMLInputs {
  /// An input with what it is in the file and in the network.
  struct Description {
    let tensor: Tensor
    let port: ImportedModel.Port
    let value: FileTensor
    /// Whether an image's channels are blue, green, red in the network.
    let isBlueFirst: Bool
    let isImage: Bool

    /// What an image input takes: what the file does to pixels is part of the network.
    var picture: PicturePreparation {
      PicturePreparation(
        width: port.sizes.last, height: port.sizes.suffix(2).first,
        colors: value.sizes.suffix(3).first == 1 ? .gray : .rgb)
    }
  }

  /// Describes an input.
  ///
  /// - Parameters:
  ///   - feature: the input.
  ///   - sizes: the sizes that replace those of the file, if any.
  ///   - isExact: whether values have any rank.
  ///   - imageRank: the rank of an image.
  /// - Returns: what it is in the file and in the network.
  /// - Throws: ``NodeFailure``.
  static func describe(
    _ feature: CoreMLFeature, sizes: [Int]?, isExact: Bool, imageRank: Int
  ) throws -> Description {
    switch feature.type {
    case .image(let width, let height, let colorSpace):
      guard let channels = channels(colorSpace) else {
        throw NodeFailure.unsupported("color space \(colorSpace)")
      }
      let sizes = sizes ?? [1, channels, height, width]
      guard sizes.count == 4, sizes[0] == 1, sizes[1] == channels else {
        throw NodeFailure.invalid(
          "\(sizes), where [1, \(channels), height, width] is needed for an image")
      }
      let size = 1...Shape.maximumElementCount
      guard size.contains(sizes[3]), size.contains(sizes[2]) else {
        throw NodeFailure.invalid("an image of \(sizes[3])×\(sizes[2]) pixels")
      }
      let input = Input(
        width: sizes[3], height: sizes[2], channels: channels, name: feature.name)
      let value = FileTensor(input, sizes: sizes, layout: [2, 3, 1])
      return try checked(
        Description(
          tensor: input, port: .init(name: feature.name, sizes: sizes, axes: [2, 3, 1]),
          value: value.withRank(imageRank), isBlueFirst: colorSpace == 30,
          isImage: true))
    case .array(let arraySizes, _):
      let stated = sizes ?? arraySizes
      guard !stated.isEmpty else { throw NodeFailure.invalid("an array without sizes") }
      guard stated.allSatisfy({ $0 >= 1 }), Shape.product(of: stated) != nil,
        stated.count <= Shape.maximumRank
      else { throw NodeFailure.invalid("an array of sizes \(stated)") }
      return try checked(
        isExact
          ? exact(feature.name, stated, type: feature.elementType)
          : stated.count > 1 && arraySizes.count == 1
            ? sequence(feature.name, stated, channels: arraySizes[0])
            : channelsFirst(feature.name, stated))
    case .other: throw NodeFailure.unsupported("an input that is neither an image nor an array")
    }
  }

  /// The number of channels of an image in a color space; `nil` for one that is not read.
  static func channels(_ colorSpace: Int) -> Int? {
    switch colorSpace {
    case 10, 40: 1
    case 20, 30: 3
    default: nil
    }
  }

  /// The channels of a color space in the order in which the network has them, in words.
  static func colors(_ colorSpace: Int) -> String {
    switch colorSpace {
    case 10, 40: "gray"
    case 20: "red, green, blue"
    case 30: "blue, green, red"
    default: "color space \(colorSpace)"
    }
  }

  /// An array of the first versions: [C] or [C, H, W], optionally behind sequence and batch of 1.
  private static func channelsFirst(_ name: String, _ stated: [Int]) throws -> Description {
    let front = stated.count > 3 ? stated.count - 3 : 0
    guard stated.prefix(front).allSatisfy({ $0 == 1 }), stated.count != 2 else {
      throw NodeFailure.unsupported("an array of sizes \(stated)")
    }
    let last = stated.suffix(from: front)
    let image = stated.count == 1 ? [stated[0], 1, 1] : Array(last)
    let input = Input(
      width: image[2], height: image[1], channels: image[0], name: name)
    let axes: [Int?] = stated.count == 1 ? [nil, nil, 0] : [front + 1, front + 2, front]
    return Description(
      tensor: input, port: .init(name: name, sizes: stated, axes: axes),
      value: FileTensor(input, sizes: [1] + image, layout: [2, 3, 1]), isBlueFirst: false,
      isImage: false)
  }

  /// A sequence of vectors: the file states [C], the caller [sequence, 1, C], optionally with
  /// two axes of size 1 behind it.
  private static func sequence(
    _ name: String, _ sizes: [Int], channels: Int
  ) throws -> Description {
    guard [3, 5].contains(sizes.count), sizes[1] == 1, sizes[2] == channels,
      sizes[3...].allSatisfy({ $0 == 1 })
    else {
      throw NodeFailure.invalid("\(sizes), where [sequence, 1, \(channels)] is needed")
    }
    let input = Input(shape: [sizes[0], channels], name: name)
    return Description(
      tensor: input, port: .init(name: name, sizes: sizes, axes: [0, 2]),
      value: FileTensor(input, sizes: [sizes[0], channels, 1, 1], layout: [0, 1]),
      isBlueFirst: false, isImage: false)
  }

  /// The values that an input is bound to.
  ///
  /// - Throws: ``NodeFailure``.
  static func bound(
    _ constant: StoredTensor, _ feature: CoreMLFeature, isExact: Bool
  ) throws -> FileValue {
    guard case .array(let arraySizes, _) = feature.type else {
      throw NodeFailure.unsupported("a value for an input that is not an array")
    }
    let values = HostTensor(constant)
    if isExact { return .host(values) }
    // [C], [C, H, W], or [sequence, 1, C, H, W].
    var sizes = values.sizes
    if arraySizes.count == 1, sizes.count == 3, sizes[1] == 1 { sizes += [1, 1] }
    if sizes.count == 5, sizes[1] == 1 { sizes.remove(at: 1) }
    if sizes.count == 1 { sizes += [1, 1] }
    if sizes.count == 3 { sizes = [1] + sizes }
    guard sizes.count == 4 else { throw NodeFailure.invalid("a value of sizes \(values.sizes)") }
    return .host(values.reshaped(sizes))
  }

  /// An array of a later network.
  private static func exact(
    _ name: String, _ sizes: [Int], type: ElementType
  ) -> Description {
    let layout = FileTensor.usualLayout(sizes)
    var input = Input(shape: layout.map { $0.map { sizes[$0] } ?? 1 }, name: name)
    if type.isWideInteger { input = input.ofIntegers }
    return Description(
      tensor: input,
      port: .init(name: name, elementType: type, sizes: sizes, axes: layout),
      // The network computes in Float32, whatever the width of the file's numbers.
      value: FileTensor(
        input, sizes: sizes, layout: layout, type: type.isInteger ? type : .float32),
      isBlueFirst: false, isImage: false)
  }

  private static func checked(_ description: Description) throws -> Description {
    if case .failed(let error) = description.tensor.outcome {
      throw NodeFailure.invalid(error.headline)
    }
    return description
  }

  /// The value of an image input behind its preprocessing.
  ///
  /// - Throws: ``NodeFailure``.
  static func prepared(
    _ input: Description, _ steps: [CoreMLPreprocessing]
  ) throws -> FileTensor {
    guard input.isImage else { return input.value }
    var result = input.value.tensor
    if input.isBlueFirst { result = result.chained(to: SwapRedBlue()) }
    let sizes = Array(input.value.sizes.suffix(3))
    let channels = sizes[0]
    for step in steps {
      switch step.kind {
      case .scale(let scale, let red, let green, let blue, let gray):
        let colors = [red, green, blue]
        let bias = channels == 1 ? [gray] : input.isBlueFirst ? colors.reversed() : colors
        result = result.chained(to: Scale(by: [scale], bias: bias))
      case .mean(let values):
        let count = (values?.count ?? 0) / MemoryLayout<Float>.size
        guard let values, count == sizes.reduce(1, *) else {
          throw NodeFailure.invalid("a mean image of \(count) values for \(sizes)")
        }
        let mean = HostTensor(type: .float32, sizes: sizes, storage: .stored(values.bytes))
        let constant = try ONNXCall.constant(mean, layout: [1, 2, 0])
        result = Tensor.applying(Subtract(), to: [result, constant.tensor])
      case .unknown: throw NodeFailure.unsupported("an unknown preprocessing")
      }
    }
    if case .failed(let error) = result.outcome { throw NodeFailure.invalid(error.headline) }
    return FileTensor(result, sizes: input.value.sizes, layout: input.value.layout)
  }
}
