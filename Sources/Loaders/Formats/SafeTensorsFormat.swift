extension WeightFormat {
  /// See ``SafeTensorsParameters``.
  static let safeTensors = WeightFormat(
    format: .safeTensors, files: ".safetensors", name: "a safetensors file",
    reader: "SafeTensorsParameters", recognizes: { SafeTensorsHeader.begins($0.head) }
  ) { origin throws(LoadError) in
    guard let input = origin.file, SafeTensorsHeader.begins(origin.head) else { return nil }
    let file = try SafeTensors(input, limits: origin.limits)
    // Pointwise kernels distinguish Forge's axis order, with the inputs last, from PyTorch's.
    let hasInputsLast = file.tensors.contains { tensor in
      let sizes = tensor.sizes
      return sizes.count == 4 && sizes[1] == 1 && sizes[2] == 1 && sizes[3] > 1
    }
    return WeightContents(
      entries: file.tensors.map(\.entry), layout: .pytorch,
      readings: hasInputsLast
        ? [.init(layout: .forge), .init(layout: .pytorch)]
        : [.init(layout: .pytorch), .init(layout: .forge)]
    ) { reading throws(LoadError) in
      try SafeTensorsParameters(file, layout: reading.layout)
    }
  }
}
