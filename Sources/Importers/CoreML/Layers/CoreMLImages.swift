import Forge

extension CoreMLLayerType {
  /// Layers that crop, pad, resize or rearrange images.
  static let images: [CoreMLLayerType] = [
    CoreMLLayerType("crop", field: 190, crop),
    CoreMLLayerType("padding", field: 200) { call in
      let (constant, reflection, replication, amounts) = (1, 2, 3, 10)
      let edges = try CoreMLCall.borders(try call.fields.message(amounts))
      var value: FileValue?
      let mode: String
      switch call.fields.last(where: { (constant...replication).contains($0) }) {
      case constant:
        mode = "constant"
        value = .number(try call.fields.message(constant)?.float(1) ?? 0)
      case reflection: mode = "reflect"
      case replication: mode = "edge"
      default: throw NodeFailure.unsupported("an unknown mode")
      }
      try call.mapImage(
        "Pad", [nil, value, .integers([2, 3])],
        ["pads": .ints(edges), "mode": .string(mode)])
    },
    // The start and the end of each axis.
    CoreMLLayerType("constantPad", field: 1155) { call in
      let (value, amounts, toGivenSizes) = (1, 2, 3)
      guard try !call.fields.bool(toGivenSizes) else {
        throw NodeFailure.unsupported("padToGivenOutputSizeMode")
      }
      let rank = try call.value().sizes.count
      let pads = try call.fields.ints(amounts).map { try CoreMLCall.size($0) }
      guard pads.count == 2 * rank else {
        throw NodeFailure.invalid("\(pads.count) amounts of \(rank) axes")
      }
      try call.map(
        "Pad", [nil, .number(try call.fields.float(value))],
        ["pads": .ints(NodeAttribute.beforeThenAfter(pads))])
    },
    CoreMLLayerType("upsample", field: 210) { call in
      let (scales, mode, linearMode, fractions) = (1, 5, 6, 7)
      guard try call.fields.floats(fractions).allSatisfy({ $0 == 0 || $0 == 1 }) else {
        throw NodeFailure.unsupported("fractionalScalingFactor")
      }
      let factors = try call.pair(scales, 1, "scalingFactor")
      let sizes = zip(try call.image().sizes[2...], factors).map { $0.multipliedSaturated(by: $1) }
      switch (try call.fields.int(mode), try call.fields.int(linearMode)) {
      case (0, _): try resize(&call, to: sizes, "nearest", "asymmetric")
      case (1, let kind) where (0...2).contains(kind):
        try resize(&call, to: sizes, "linear", ["asymmetric", "align_corners", "half_pixel"][kind])
      case let (mode, kind): throw NodeFailure.unsupported("mode \(mode) with \(kind)")
      }
    },
    CoreMLLayerType("resizeBilinear", field: 211) { call in
      let (target, method) = (1, 2)
      let sizes = try call.pair(target, 1, "targetSize")
      switch try call.fields.message(method)?.int(1) ?? 0 {
      case 0: break
      // A single pixel is taken from the middle here.
      case 1 where sizes.contains { $0 <= 1 }:
        throw NodeFailure.unsupported("ALIGN_ENDPOINTS_MODE to one pixel")
      case 1: break
      case 2: return try resize(&call, to: sizes, "linear", "asymmetric")
      case 3: throw NodeFailure.unsupported("ROI_ALIGN_MODE")
      case let mode: throw NodeFailure.unsupported("samplingMethod \(mode)")
      }
      try resize(&call, to: sizes, "linear", "align_corners")
    },
    CoreMLLayerType("reorganizeData", field: 345) { call in
      let (mode, block) = (1, 2)
      let attributes = ["blocksize": NodeAttribute.int(try call.size(block))]
      switch try call.fields.int(mode) {
      case 0: try call.mapImage("SpaceToDepth", [], attributes)
      case 1: try call.mapImage("DepthToSpace", [], attributes)
      case 2:
        try call.mapImage("DepthToSpace", [], attributes.merging(["mode": .string("CRD")]) { $1 })
      case let mode: throw NodeFailure.unsupported("mode \(mode)")
      }
    },
  ]

  private static func crop(_ call: inout CoreMLCall) throws {
    let (amounts, offsets) = (1, 5)
    let image = try call.image()
    let sizes = Array(image.sizes[2...])
    var (starts, ends) = ([0, 0], sizes)
    if call.inputs.count > 1 {
      // The size is that of the second input.
      let reference = try call.value(1).sizes
      guard reference.count >= 3 else { throw NodeFailure.invalid("a crop to \(reference)") }
      starts = try call.pair(offsets, 0, "offset")
      ends = zip(starts, reference.suffix(2)).map { $0.addingSaturated($1) }
    } else {
      let edges = try CoreMLCall.borders(try call.fields.message(amounts))
      starts = Array(edges[..<2])
      ends = zip(sizes, edges[2...]).map { $0.addingSaturated(-$1) }
    }
    guard zip(starts, ends).allSatisfy({ $0 < $1 }), zip(ends, sizes).allSatisfy({ $0 <= $1 })
    else { throw NodeFailure.invalid("the pixels \(starts) to \(ends) of \(sizes)") }
    try call.mapImage(
      "Slice", [],
      ["axes": .ints([2, 3]), "starts": .ints(starts), "ends": .ints(ends)])
  }

  /// Sets the result to the first input as an image of other sizes.
  private static func resize(
    _ call: inout CoreMLCall, to sizes: [Int], _ mode: String, _ coordinates: String
  ) throws {
    try call.mapImage(
      "Resize", [nil, nil, .integers(sizes)],
      [
        "axes": .ints([2, 3]), "mode": .string(mode), "nearest_mode": .string("floor"),
        "coordinate_transformation_mode": .string(coordinates),
      ])
  }
}
