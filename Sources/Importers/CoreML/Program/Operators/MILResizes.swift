import Forge

extension MILOperators {
  /// Resampling of rows and columns.
  static let resizes: [String: Operation] = [
    "upsample_nearest_neighbor": { call in
      try resize(&call, try scaled(call), isNearest: true, sampling: "DEFAULT", try factors(call))
    },
    "upsample_bilinear": { call in
      let aligns = try call.bool("align_corners", true)
      let isHalf = try call.bool("half_pixel_centers", !aligns)
      let sampling = aligns ? "STRICT_ALIGN_CORNERS" : isHalf ? "UNALIGN_CORNERS" : "DEFAULT"
      try resize(&call, try scaled(call), isNearest: false, sampling: sampling)
    },
    "resize_nearest_neighbor": { call in
      try resize(&call, try stated(call), isNearest: true, sampling: "DEFAULT")
    },
    "resize_bilinear": { call in
      let sampling = try call.text("sampling_mode", "DEFAULT")
      try resize(&call, try stated(call), isNearest: false, sampling: sampling)
    },
    "resize": { call in
      let input = try call.value().sizes
      guard let shape = try call.ints("shape") else { throw NodeFailure.invalid("no shape") }
      let count = try call.int("resized_dims")
      guard (0...min(shape.count, input.count)).contains(count) else {
        throw NodeFailure.invalid("\(count) resized axes of \(input)")
      }
      // A size of 0 is that of the input.
      let sizes = zip(shape.suffix(count), input.suffix(count)).map { $0 == 0 ? $1 : $0 }
      let isNearest: Bool
      switch try call.text("interpolation_mode", "LINEAR") {
      case "LINEAR": isNearest = false
      case "NEAREST_NEIGHBOR": isNearest = true
      case let other: throw NodeFailure.unsupported("interpolation_mode \"\(other)\"")
      }
      let sampling = try call.text("sampling_mode", "DEFAULT")
      try resize(
        &call, Array(input.dropLast(count)) + sizes, isNearest: isNearest, sampling: sampling)
    },
  ]

  private static func factors(_ call: MILCall) throws -> [Float] {
    [try call.float("scale_factor_height", 1), try call.float("scale_factor_width", 1)]
  }

  /// The sizes times the factors of rows and columns.
  private static func scaled(_ call: MILCall) throws -> [Int] {
    let input = try call.value().sizes
    guard input.count >= 2 else { throw NodeFailure.invalid("a tensor \(input)") }
    return Array(input.dropLast(2))
      + (try zip(input.suffix(2), try factors(call)).map { size, factor in
        let product = (Float(size) * factor).rounded(.down)
        guard product >= 1, product < 0x1p30 else {
          throw NodeFailure.invalid("a size of \(size) times \(factor)")
        }
        return Int(product)
      })
  }

  /// The sizes with the stated numbers of rows and columns.
  private static func stated(_ call: MILCall) throws -> [Int] {
    let input = try call.value().sizes
    guard input.count >= 2 else { throw NodeFailure.invalid("a tensor \(input)") }
    return Array(input.dropLast(2)) + [
      try call.int("target_size_height", 1), try call.int("target_size_width", 1),
    ]
  }

  /// Resamples to sizes; nearest neighbors may have factors that the sizes do not tell.
  private static func resize(
    _ call: inout MILCall, _ sizes: [Int], isNearest: Bool, sampling: String,
    _ factors: [Float]? = nil
  ) throws {
    let input = try call.value()
    var attributes: [String: NodeAttribute] = [
      "mode": .string(isNearest ? "nearest" : "linear"), "nearest_mode": .string("floor"),
    ]
    switch sampling {
    case "DEFAULT": attributes["coordinate_transformation_mode"] = .string("asymmetric")
    case "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS":
      let shrinks = zip(input.sizes, sizes).contains { $0 != $1 && $1 == 1 }
      guard sampling == "STRICT_ALIGN_CORNERS" || !shrinks else {
        throw NodeFailure.unsupported("sampling_mode \"\(sampling)\" of a single result")
      }
      attributes["coordinate_transformation_mode"] = .string("align_corners")
    case "UNALIGN_CORNERS": attributes["coordinate_transformation_mode"] = .string("half_pixel")
    default: throw NodeFailure.unsupported("sampling_mode \"\(sampling)\"")
    }
    guard !isNearest || sampling == "DEFAULT" else {
      throw NodeFailure.unsupported("nearest neighbors with sampling_mode \"\(sampling)\"")
    }
    guard sizes.count == input.sizes.count else {
      throw NodeFailure.invalid("sizes \(sizes) of a tensor \(input.sizes)")
    }
    var inputs: [FileValue?] = [input, nil, nil, .integers(sizes)]
    if let factors {
      let scales = Array(repeating: Float(1), count: sizes.count - factors.count) + factors
      inputs = [input, nil, .host(HostTensor(floats: scales, sizes: [scales.count]))]
    }
    call.set(try call.node("Resize", inputs, attributes))
  }
}
