import Forge

/// What of Darknet's layers and options Forge has.
enum DarknetSupport {
  /// The layers and options of a section that Forge lacks.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for an option that cannot be parsed.
  static func missing(in section: DarknetSection) throws(ImportError) -> [UnsupportedNode] {
    var missing: [UnsupportedNode] = []
    func lack(_ detail: String?) {
      missing.append(
        UnsupportedNode(type: "[\(section.type)]", detail: detail, name: section.name))
    }
    guard let switches = switches[section.type] else {
      lack(nil)
      return missing
    }
    for key in switches where try section.int(key, 0) != 0 { lack(key) }
    let absent = Self.isWeighted(section) ? "logistic" : "linear"
    let activation = section.string("activation", absent)
    if DarknetActivation.function(activation) == nil { lack("activation \"\(activation)\"") }
    switch section.type {
    case "upsample":
      if try section.int("stride", 2) < 0 { lack("a negative stride") }
    case "shortcut":
      let weights = section.string("weights_type", "none")
      if weights != "none" { lack("weights_type \"\(weights)\"") }
    case "softmax":
      if section.has("tree") { lack("tree") }
    case "region":
      if section.has("tree") { lack("tree") }
      let coordinates = try section.int("coords", 4)
      if coordinates != 4 { lack("coords \(coordinates)") }
    case "gaussian_yolo":
      let point = section.string("yolo_point", "center")
      if DarknetDetection.Point(rawValue: point) == nil { lack("yolo_point \"\(point)\"") }
    case "convolutional":
      if section.has("share_index") { lack("share_index") }
    default: break
    }
    return missing
  }

  private static func isWeighted(_ section: DarknetSection) -> Bool {
    section.type == "convolutional" || section.type == "connected"
  }

  /// For each type of layer the options that Forge lacks unless they are 0.
  private static let switches: [String: [String]] = [
    "convolutional": [
      "binary", "xnor", "bin_output", "flipped", "dontload", "dontloadscales", "antialiasing",
      "deform", "assisted_excitation", "sway", "rotate", "stretch", "stretch_sway", "coordconv",
    ],
    "connected": ["dontload", "dontloadscales"],
    "maxpool": ["maxpool_depth", "antialiasing"],
    "local_avgpool": ["avgpool_depth", "antialiasing"],
    "avgpool": [], "route": [], "shortcut": [], "sam": [], "scale_channels": ["scale_wh"],
    "upsample": [], "reorg": ["flatten", "reverse", "extra"], "softmax": [], "activation": [],
    "yolo": [], "gaussian_yolo": [], "region": ["background"], "dropout": [], "cost": [],
    "empty": [],
  ]
}
