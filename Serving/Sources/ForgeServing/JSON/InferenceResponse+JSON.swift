/// Responses of the REST protocol: JSON, and binary tensors after it.
extension InferenceResponse {
  /// The body, and how many of its bytes are JSON; `nil` if nothing is binary.
  ///
  /// - Throws: ``ServingError`` for an output that JSON has no form for.
  package func body() throws(ServingError) -> (bytes: [UInt8], jsonCount: Int?) {
    var writer = JSONWriter(capacity: 512)
    try writer.object { (writer) throws(ServingError) in
      writer.name("model_name")
      writer.value(modelName)
      writer.name("model_version")
      writer.value(modelVersion)
      if !id.isEmpty {
        writer.name("id")
        writer.value(id)
      }
      writer.name("outputs")
      try writer.array { (writer) throws(ServingError) in
        for (output, isBinary) in zip(outputs, isBinary) {
          try Self.write(output, isBinary: isBinary, to: &writer)
        }
      }
    }
    guard isBinary.contains(true) else { return (writer.bytes, nil) }
    var bytes = writer.bytes
    let count = bytes.count
    bytes.reserveCapacity(count + outputs.reduce(0) { $0 + $1.content.count })
    for (output, isBinary) in zip(outputs, isBinary) where isBinary {
      bytes.append(contentsOf: output.content)
    }
    return (bytes, count)
  }

  private static func write(
    _ output: TensorData, isBinary: Bool, to writer: inout JSONWriter
  ) throws(ServingError) {
    try writer.object { (writer) throws(ServingError) in
      writer.name("name")
      writer.value(output.name)
      writer.name("datatype")
      writer.value(output.datatype.rawValue)
      writer.name("shape")
      writer.array { writer in for size in output.shape { writer.value(size) } }
      if isBinary {
        writer.name("parameters")
        writer.object { writer in
          writer.name("binary_data_size")
          writer.value(output.content.count)
        }
      } else {
        writer.name("data")
        try output.write(to: &writer)
      }
    }
  }
}
