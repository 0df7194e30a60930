/// The messages of `inference.GRPCInferenceService` that a client sends.
package struct ModelRequest: Sendable {
  var name = ""
  var version = ""

  /// Reads `name` and `version`, fields 1 and 2 of many requests.
  package init(_ bytes: ArraySlice<UInt8>) throws(ServingError) {
    var reader = WireReader(bytes)
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.text
      case 2: version = try field.text
      default: break
      }
    }
  }
}

/// `ModelInferRequest`.
package struct ModelInferRequest: Sendable {
  package var modelName = ""
  package var modelVersion = ""
  package var request = InferenceRequest(inputs: [], isBinaryOutput: true)

  /// Reads a message.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`.
  package init(_ bytes: ArraySlice<UInt8>) throws(ServingError) {
    var reader = WireReader(bytes)
    var raw: [ArraySlice<UInt8>] = []
    var typed: [[UInt8]?] = []
    while let field = try reader.next() {
      switch field.number {
      case 1: modelName = try field.text
      case 2: modelVersion = try field.text
      case 3: request.id = try field.text
      case 4: try Self.addParameter(try field.bytes, to: &request.parameters)
      case 5:
        let (tensor, contents) = try Self.input(try field.bytes)
        request.inputs.append(tensor)
        typed.append(contents)
        try Self.check(request.inputs.count)
      case 6:
        request.outputs.append(try Self.output(try field.bytes))
        try Self.check(request.outputs.count)
      case 7:
        raw.append(try field.bytes)
        try Self.check(raw.count)
      default: break
      }
    }
    guard !request.inputs.isEmpty else { throw .invalid("the request has no inputs") }
    if raw.isEmpty {
      for (index, contents) in typed.enumerated() {
        request.inputs[index].content = (contents ?? [])[...]
      }
    } else {
      guard raw.count == request.inputs.count, typed.allSatisfy({ $0 == nil }) else {
        throw .invalid(
          "raw_input_contents has \(raw.count) entries, and must have one for each of the "
            + "\(request.inputs.count) inputs, without other contents")
      }
      for (index, content) in raw.enumerated() { request.inputs[index].content = content }
    }
    for input in request.inputs { try input.checkContent() }
  }

  private static func check(_ count: Int) throws(ServingError) {
    guard count <= InferenceRequest.maximumEntries else {
      throw .invalid("the request has more than \(InferenceRequest.maximumEntries) entries")
    }
  }

  /// Reads an entry of a map of parameters.
  static func addParameter(
    _ bytes: ArraySlice<UInt8>, to parameters: inout [String: ParameterValue]
  ) throws(ServingError) {
    var reader = WireReader(bytes)
    var name = ""
    var value: ParameterValue?
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.text
      case 2:
        var inner = WireReader(try field.bytes)
        while let choice = try inner.next() {
          switch choice.number {
          case 1: value = .flag(try choice.integer != 0)
          case 2: value = .integer(Int64(bitPattern: try choice.integer))
          case 3: value = .text(try choice.text)
          case 4: value = .number(try choice.double)
          case 5: value = .unsigned(try choice.integer)
          default: break
          }
        }
      default: break
      }
    }
    parameters[name] = value
    try check(parameters.count)
  }

  private static func output(
    _ bytes: ArraySlice<UInt8>
  ) throws(ServingError) -> InferenceRequest.Output {
    var reader = WireReader(bytes)
    var output = InferenceRequest.Output(name: "")
    var parameters: [String: ParameterValue] = [:]
    while let field = try reader.next() {
      switch field.number {
      case 1: output.name = try field.text
      case 2: try addParameter(try field.bytes, to: &parameters)
      default: break
      }
    }
    try output.apply(parameters)
    // The values of a gRPC response are always binary.
    output.isBinary = true
    return output
  }

  private static func input(
    _ bytes: ArraySlice<UInt8>
  ) throws(ServingError) -> (TensorData, contents: [UInt8]?) {
    var reader = WireReader(bytes)
    var name = ""
    var type = ""
    var shape: [Int] = []
    var parameters: [String: ParameterValue] = [:]
    var contents: ArraySlice<UInt8>?
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.text
      case 2: type = try field.text
      case 3:
        try field.integers { (size) throws(ServingError) in
          guard shape.count < TensorData.maximumRank else {
            throw .invalid("a shape has more than \(TensorData.maximumRank) sizes")
          }
          guard let size = Int(exactly: size) else {
            throw .invalid("the shape of an input has a negative size")
          }
          shape.append(size)
        }
      case 4: try addParameter(try field.bytes, to: &parameters)
      case 5: contents = try field.bytes
      default: break
      }
    }
    guard let datatype = Datatype(rawValue: type) else {
      throw .invalid("the input \"\(name)\" has the unknown datatype \"\(type)\"")
    }
    if parameters["shared_memory_region"] != nil { throw .sharedMemory }
    let tensor = TensorData(name: name, datatype: datatype, shape: shape, content: [])
    guard let contents else { return (tensor, nil) }
    return (tensor, try InferTensorContents(contents, datatype, of: name).bytes)
  }
}
