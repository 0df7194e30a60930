import ForgeShapes

extension SafeTensors {
  /// Writes parameters to a file, with the names and shapes of PyTorch.
  ///
  /// ```swift
  /// try SafeTensors.write(
  ///   [(kernelSpec, ParameterValues(kernel)), (biasSpec, ParameterValues(bias))],
  ///   to: "net.safetensors")
  /// ```
  /// The weights of `conv1` are the tensor `conv1.weight`, its biases `conv1.bias`; those of batch
  /// normalizations are `weight`, `bias`, `running_mean` and `running_var`. Values are single
  /// precision. The file is written under another name and renamed. No program sees a part of it,
  /// and an error leaves an existing file unchanged.
  ///
  /// - Parameters:
  ///   - parameters: each parameter with its values, which may have any type and axis order.
  ///   - matrices: the layers whose weights are matrices of inputs and outputs: dense layers.
  ///     Values that state their sizes in the order of the file have these in the file; all others
  ///     have one size for each axis.
  ///   - layout: the axis order of the file, to be given to ``SafeTensorsParameters``, too.
  ///   - path: the file; an existing file is replaced.
  /// - Throws: ``LoadError``: `duplicate` when two parameters have one name, `badName`,
  ///   `wrongCount` or `wrongShape` when values are not the parameter's, `unreadable` or
  ///   `notARegularFile` when the file cannot be written, `outOfMemory`; and what the values throw.
  public static func write(
    _ parameters: [(spec: ParameterSpec, data: any ParameterData)], matrices: Set<String> = [],
    layout: ParameterLayout = .pytorch, to path: String
  ) throws {
    let names = ParameterNames.pytorchNames(of: parameters.map(\.spec))
    var seen: Set<EntryName> = []
    var forms: [StoredForm] = []
    for ((spec, data), name) in zip(parameters, names) {
      guard !spec.layer.isEmpty else { throw LoadError.unwritableTensorName(path, for: spec) }
      guard seen.insert(name).inserted else { throw LoadError.twoParameters(path, name.text, spec) }
      forms.append(
        try StoredForm(spec, data, in: layout, isMatrix: matrices.contains(spec.layer)))
    }
    let header = try SafeTensorsHeader.bytes(for: zip(names, forms), path)
    try FileReplacement.replace(path) { file in
      try header.withUnsafeBytes { try file.add($0) }
      // One parameter at a time is in memory.
      for form in forms {
        let values = try form.values(for: path)
        try file.add(UnsafeRawBufferPointer(values.bytes))
      }
    }
  }
}

extension SafeTensorsHeader {
  /// The header of a file with single-precision tensors, including its length.
  ///
  /// - Throws: ``LoadError`` of kind `unsupported` for a header that is longer than readers take.
  static func bytes(
    for tensors: some Sequence<(EntryName, StoredForm)>, _ path: String
  ) throws(LoadError) -> [UInt8] {
    var json = Array(#"{"__metadata__":{"format":"pt"}"#.utf8)
    var start = 0
    for (name, form) in tensors {
      let sizes = form.sizes.map(String.init).joined(separator: ",")
      let end = start.addingSaturated(form.byteCount)
      json.append(UInt8(ascii: ","))
      json += quoted(name)
      json += Array(
        #":{"dtype":"F32","shape":[\#(sizes)],"data_offsets":[\#(start),\#(end)]}"#.utf8)
      start = end
    }
    json.append(UInt8(ascii: "}"))
    // The values are aligned to eight bytes.
    json += Array(repeating: UInt8(ascii: " "), count: (8 - json.count % 8) % 8)
    guard json.count <= maximumByteCount else {
      throw .headerTooLong(UInt64(json.count), of: maximumByteCount).located(in: path)
    }
    return withUnsafeBytes(of: UInt64(json.count).littleEndian) { Array($0) } + json
  }

  /// A name as a text of JSON.
  private static func quoted(_ name: EntryName) -> [UInt8] {
    var text = [UInt8(ascii: "\"")]
    for byte in name.bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        text += Array((digits.count == 1 ? "\\u000" : "\\u00").utf8) + Array(digits.utf8)
      default: text.append(byte)
      }
    }
    return text + [UInt8(ascii: "\"")]
  }
}
