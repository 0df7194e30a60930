import ForgeShapes

extension SafeTensors {
  /// Writes parameters to a file, with the names and shapes of PyTorch.
  ///
  /// ```swift
  /// try SafeTensors.write(
  ///   [(kernelSpec, ParameterValues(kernel)), (biasSpec, ParameterValues(bias))],
  ///   as: .float16, to: "net.safetensors")
  /// ```
  /// The weights of `conv1` are the tensor `conv1.weight`, its biases `conv1.bias`; those of batch
  /// normalizations are `weight`, `bias`, `running_mean` and `running_var`. The scales of weights
  /// that are 8-bit integers are `conv1.weight_scale`, with the axes of the weights, of which all
  /// but that of the outputs are 1. The file is written under another name and renamed. No program
  /// sees a part of it, and an error leaves an existing file unchanged.
  ///
  /// - Parameters:
  ///   - parameters: each parameter with its values, which may have any type and axis order.
  ///   - matrices: the layers whose weights are matrices of inputs and outputs: dense layers.
  ///     Values that state their sizes in the order of the file have these in the file; all others
  ///     have one size for each axis.
  ///   - layout: the axis order of the file, to be given to ``SafeTensorsParameters``, too.
  ///   - type: the type of the values in the file.
  ///   - path: the file; an existing file is replaced.
  /// - Throws: ``LoadError``: `duplicate` when two parameters have one name, `badName`,
  ///   `wrongCount` or `wrongShape` when values are not the parameter's, `wrongElementType` when a
  ///   value does not fit the type, `unreadable` or `notARegularFile` when the file cannot be
  ///   written, `outOfMemory`; and what the values throw.
  public static func write(
    _ parameters: [(spec: ParameterSpec, data: any ParameterData)], matrices: Set<String> = [],
    layout: ParameterLayout = .pytorch, as type: StoredType = .float32, to path: String
  ) throws {
    let names = ParameterNames.pytorchNames(of: parameters.map(\.spec))
    var seen: Set<EntryName> = []
    var tensors: [StoredTensor] = []
    for ((spec, data), name) in zip(parameters, names) {
      guard !spec.layer.isEmpty else { throw LoadError.unwritableTensorName(path, for: spec) }
      let form = try StoredForm(spec, data, in: layout, isMatrix: matrices.contains(spec.layer))
      for tensor in StoredTensor.tensors(of: form, name, as: type) {
        guard seen.insert(tensor.name).inserted else {
          throw LoadError.twoParameters(path, tensor.name.text, spec)
        }
        tensors.append(tensor)
      }
    }
    // The widest values come first, so that all are aligned.
    let sorted = tensors.filter { $0.type == .float32 } + tensors.filter { $0.type != .float32 }
    let header = try SafeTensorsHeader.bytes(for: sorted, path)
    try FileReplacement.replace(path) { file in
      try header.withUnsafeBytes { try file.add($0) }
      // One parameter at a time is in memory.
      for tensor in sorted { try tensor.write(to: file, path) }
    }
  }
}

/// One tensor of a file that is written: the values of a parameter, or their scales.
private struct StoredTensor {
  let name: EntryName
  let form: StoredForm
  let type: StoredType
  /// Whether the values are the scales of integers.
  let isScales: Bool

  /// The tensors of a parameter.
  static func tensors(of form: StoredForm, _ name: EntryName, as type: StoredType) -> [StoredTensor]
  {
    guard type == .int8 else {
      return [StoredTensor(name: name, form: form, type: type, isScales: false)]
    }
    guard form.outputAxis != nil else {
      return [StoredTensor(name: name, form: form, type: .float32, isScales: false)]
    }
    let scale = SafeTensors.scaleName(of: name)
    return [
      StoredTensor(name: name, form: form, type: .int8, isScales: false),
      StoredTensor(name: scale, form: form, type: .float32, isScales: true),
    ]
  }

  /// The sizes in the file.
  var sizes: [Int] {
    guard isScales, let axis = form.outputAxis else { return form.sizes }
    return form.sizes.indices.map { $0 == axis ? form.sizes[$0] : 1 }
  }

  /// The bytes in the file.
  var byteCount: Int {
    (Shape.product(of: sizes) ?? .max).multipliedSaturated(by: type.elementType.byteCount)
  }

  /// Reads the values, converts them and appends them to the file.
  func write(to file: borrowing FileReplacement, _ path: String) throws {
    let values = try form.values(for: path)
    guard type == .int8 || isScales, let axis = form.outputAxis else {
      if type != .float32 { try type.narrow(values.bytes, of: form.parameter) }
      return try file.add(UnsafeRawBufferPointer(rebasing: values.bytes[..<byteCount]))
    }
    let integers = try ScaledIntegers(
      of: UnsafeBufferPointer(values.bytes.bindMemory(to: Float.self)), sizes: form.sizes,
      axis: axis, form.parameter)
    guard !isScales else {
      return try integers.scales.map { $0.bitPattern.littleEndian }.withUnsafeBytes {
        try file.add($0)
      }
    }
    integers.narrow(values.bytes)
    try file.add(UnsafeRawBufferPointer(rebasing: values.bytes[..<byteCount]))
  }
}

extension SafeTensorsHeader {
  /// The header of a file of tensors, including its length.
  ///
  /// - Throws: ``LoadError`` of kind `unsupported` for a header that is longer than readers take.
  fileprivate static func bytes(
    for tensors: [StoredTensor], _ path: String
  ) throws(LoadError) -> [UInt8] {
    var json = Array(#"{"__metadata__":{"format":"pt"}"#.utf8)
    var start = 0
    for tensor in tensors {
      let sizes = tensor.sizes.map(String.init).joined(separator: ",")
      let end = start.addingSaturated(tensor.byteCount)
      let type = tensor.type.rawValue.uppercased()
      json.append(UInt8(ascii: ","))
      json += quoted(tensor.name)
      json += Array(
        #":{"dtype":"\#(type)","shape":[\#(sizes)],"data_offsets":[\#(start),\#(end)]}"#.utf8)
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
