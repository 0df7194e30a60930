import Forge
import ForgeMessages

/// Layers that crop, pad, resize or rearrange images.
enum CoreMLImages {
  static func crop(_ call: inout CoreMLCall, _ layer: CoreMLCrop) throws {
    let input = try call.image()
    guard call.inputs.count > 1 else {
      let edges = try CoreMLWindows.edges(layer.amounts)
      return try call.mapImage(
        Crop(
          top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right,
          name: call.name))
    }
    // The size is that of the second input.
    let reference = try call.value(1).sizes
    guard reference.count >= 3, let width = input.tensor.width, let height = input.tensor.height
    else { throw NodeFailure.invalid("a crop to \(reference)") }
    let offset = try CoreMLCall.pair(layer.offset, 0, "offset")
    let (rows, columns) = (reference[reference.count - 2], reference[reference.count - 1])
    try call.mapImage(
      Crop(
        top: offset.height, left: offset.width,
        bottom: height.addingSaturated(-rows).addingSaturated(-offset.height),
        right: width.addingSaturated(-columns).addingSaturated(-offset.width), name: call.name))
  }

  static func pad(_ call: inout CoreMLCall, _ layer: CoreMLPadding) throws {
    let edges = try CoreMLWindows.edges(layer.amounts)
    let mode: PadMode
    switch layer.kind {
    case .constant(let constant) where constant.value == 0:
      return try call.mapImage(
        ZeroPadding(
          top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right,
          name: call.name))
    case .constant(let constant): mode = .constant(constant.value)
    case .reflection: mode = .reflect
    case .replication: mode = .edge
    case nil: throw NodeFailure.unsupported("an unknown mode")
    }
    try call.mapImage(
      Pad(
        before: [edges.top, edges.left, 0], after: [edges.bottom, edges.right, 0], mode: mode,
        name: call.name))
  }

  /// The layer `constantPad` on any axes: the start and the end of each.
  static func padExact(_ call: inout CoreMLCall, _ layer: CoreMLConstantPadding) throws {
    guard !layer.toGivenSizes else { throw NodeFailure.unsupported("padToGivenOutputSizeMode") }
    let input = try call.network()
    guard layer.amounts.count == 2 * input.rank else {
      throw NodeFailure.invalid("\(layer.amounts.count) amounts of \(input.rank) axes")
    }
    let amounts = try layer.amounts.map { try CoreMLCall.size($0) }
    func amount(_ axis: Int?, _ end: Int) -> Int { axis.map { amounts[2 * $0 + end] } ?? 0 }
    let padded = input.sizes.indices.filter { amount($0, 0) > 0 || amount($0, 1) > 0 }
    let layout = input.layout(with: padded)
    let pad = Pad(
      before: layout.map { amount($0, 0) }, after: layout.map { amount($0, 1) },
      mode: .constant(layer.value), name: call.name)
    call.set(
      FileTensor(
        try call.apply(pad, to: input.tensor(as: layout)), layout: layout, rank: input.rank))
  }

  static func upsample(_ call: inout CoreMLCall, _ layer: CoreMLUpsampling) throws {
    guard layer.fractions.allSatisfy({ $0 == 0 || $0 == 1 }) else {
      throw NodeFailure.unsupported("fractionalScalingFactor")
    }
    let factors = try CoreMLCall.pair(layer.factors, 1, "scalingFactor")
    switch (layer.mode, layer.linearMode) {
    case (0, _):
      try call.mapImage(UpSampling(size: (factors.width, factors.height), name: call.name))
    case (1, 0...2):
      let input = try call.image()
      guard let width = input.tensor.width, let height = input.tensor.height else {
        throw NodeFailure.invalid("an image of unknown size")
      }
      let coordinates: [ResampleCoordinates] = [.asymmetric, .alignCorners, .halfPixel]
      try call.mapImage(
        Resample(
          sizes: [height.saturated(times: factors.height), width.saturated(times: factors.width)],
          mode: .linear, coordinates: coordinates[Int(layer.linearMode)], name: call.name))
    default: throw NodeFailure.unsupported("mode \(layer.mode) with \(layer.linearMode)")
    }
  }

  static func resize(_ call: inout CoreMLCall, _ layer: CoreMLResizing) throws {
    let size = try CoreMLCall.pair(layer.size, 1, "targetSize")
    let coordinates: ResampleCoordinates
    switch layer.mode.mode {
    case 0: coordinates = .alignCorners
    case 1:
      // A single pixel is taken from the middle here.
      guard size.height > 1, size.width > 1 else {
        throw NodeFailure.unsupported("ALIGN_ENDPOINTS_MODE to one pixel")
      }
      coordinates = .alignCorners
    case 2: coordinates = .asymmetric
    case 3: throw NodeFailure.unsupported("ROI_ALIGN_MODE")
    case let mode: throw NodeFailure.unsupported("samplingMethod \(mode)")
    }
    try call.mapImage(
      Resample(
        sizes: [size.height, size.width], mode: .linear, coordinates: coordinates,
        name: call.name))
  }

  static func reorganize(_ call: inout CoreMLCall, _ layer: CoreMLReorganization) throws {
    let block = try CoreMLCall.size(layer.block)
    switch layer.mode {
    case 0: try call.mapImage(SpaceToDepth(block: block, name: call.name))
    case 1:
      try call.mapImage(DepthToSpace(block: block, order: .depthColumnRow, name: call.name))
    case 2:
      try call.mapImage(DepthToSpace(block: block, order: .columnRowDepth, name: call.name))
    default: throw NodeFailure.unsupported("mode \(layer.mode)")
    }
  }
}
