import ForgeShapes

/// Safetensors files; see ``SafeTensorsParameters``.
struct SafeTensorsFormat: WeightFormat {
  static let format = WeightFile.Format.safeTensors
  static let files = ".safetensors"

  let layout = ParameterLayout.pytorch
  var entries: [WeightFile.Entry] { file.tensors.map(\.entry) }
  private let file: SafeTensors

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard let input = origin.file, SafeTensorsHeader.begins(origin.head) else { return nil }
    file = try SafeTensors(input, limits: origin.limits)
  }

  /// A pointwise kernel tells Forge's order, which has the inputs last, from PyTorch's.
  var readings: [WeightReading] {
    let hasInputsLast = file.tensors.contains { tensor in
      let sizes = tensor.sizes
      return sizes.count == 4 && sizes[1] == 1 && sizes[2] == 1 && sizes[3] > 1
    }
    return hasInputsLast
      ? [.byName(.forge), .byName(.pytorch)] : [.byName(.pytorch), .byName(.forge)]
  }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    try SafeTensorsParameters(file, layout: reading.layout)
  }
}

extension WeightFile.Format {
  /// A safetensors file.
  public static let safeTensors = Self(rawValue: "safetensors")
}
