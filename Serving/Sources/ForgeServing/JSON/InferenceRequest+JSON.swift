/// Requests of the REST protocol: JSON, and binary tensors after it.
extension InferenceRequest {
  /// An input before its data is read.
  private struct Input {
    var name = ""
    var datatype = ""
    var shape: [Int]?
    var data: ArraySlice<UInt8>?
    var binarySize: Int?
  }

  /// The most inputs, outputs and parameters of a request each.
  static let maximumEntries = 1024

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - body: the body.
  ///   - jsonCount: the bytes of the JSON at its beginning; `nil` if all of it is JSON.
  /// - Throws: ``ServingError`` of kind `invalid`.
  package init(body: ArraySlice<UInt8>, jsonCount: Int? = nil) throws(ServingError) {
    let count = jsonCount ?? body.count
    guard (0...body.count).contains(count) else {
      throw .invalid("the header Inference-Header-Content-Length is beyond the body")
    }
    self.init(inputs: [])
    var inputs: [Input] = []
    var cursor = JSONCursor(body.prefix(count))
    try cursor.object { (name, cursor) throws(ServingError) in
      switch name {
      case "id": id = try cursor.string()
      case "parameters": parameters = try Self.parameters(&cursor)
      case "inputs":
        try cursor.array { (cursor) throws(ServingError) in
          inputs.append(try Self.input(&cursor))
          try Self.check(inputs.count, "inputs")
        }
      case "outputs":
        try cursor.array { (cursor) throws(ServingError) in
          outputs.append(try Self.output(&cursor))
          try Self.check(outputs.count, "outputs")
        }
      default: try cursor.skip()
      }
    }
    try cursor.end()
    isBinaryOutput = parameters["binary_data_output"]?.flag ?? false
    guard !inputs.isEmpty else { throw .invalid("the request has no inputs") }
    var rest = body.dropFirst(count)
    for input in inputs {
      self.inputs.append(try Self.tensor(input, &rest))
    }
    guard rest.isEmpty else {
      throw .invalid("\(rest.count) bytes follow the binary data of the inputs")
    }
  }

  private static func check(_ count: Int, _ what: String) throws(ServingError) {
    guard count <= maximumEntries else {
      throw .invalid("the request has more than \(maximumEntries) \(what)")
    }
  }

  private static func parameters(
    _ cursor: inout JSONCursor
  ) throws(ServingError) -> [String: ParameterValue] {
    var values: [String: ParameterValue] = [:]
    try cursor.object { (name, cursor) throws(ServingError) in
      values[name] = try cursor.parameter()
      try check(values.count, "parameters")
    }
    return values
  }

  private static func input(_ cursor: inout JSONCursor) throws(ServingError) -> Input {
    var input = Input()
    try cursor.object { (name, cursor) throws(ServingError) in
      switch name {
      case "name": input.name = try cursor.string()
      case "datatype": input.datatype = try cursor.string()
      case "shape":
        var shape: [Int] = []
        try cursor.array { (cursor) throws(ServingError) in
          guard shape.count < TensorData.maximumRank else {
            throw .invalid("a shape has more than \(TensorData.maximumRank) sizes")
          }
          shape.append(try cursor.count())
        }
        input.shape = shape
      case "data": input.data = try cursor.skip()
      case "parameters":
        let values = try parameters(&cursor)
        if let size = values["binary_data_size"] {
          guard let count = size.count.flatMap({ Int(exactly: $0) }) else {
            throw .invalid("binary_data_size must be a whole number")
          }
          input.binarySize = count
        }
        if values["shared_memory_region"] != nil { throw .sharedMemory }
      default: try cursor.skip()
      }
    }
    return input
  }

  private static func output(
    _ cursor: inout JSONCursor
  ) throws(ServingError) -> InferenceRequest.Output {
    var output = InferenceRequest.Output(name: "")
    try cursor.object { (name, cursor) throws(ServingError) in
      switch name {
      case "name": output.name = try cursor.string()
      case "parameters": try output.apply(try parameters(&cursor))
      default: try cursor.skip()
      }
    }
    return output
  }

  private static func tensor(
    _ input: Input, _ rest: inout ArraySlice<UInt8>
  ) throws(ServingError) -> TensorData {
    let name = input.name
    guard let datatype = Datatype(rawValue: input.datatype) else {
      throw .invalid("the input \"\(name)\" has the unknown datatype \"\(input.datatype)\"")
    }
    guard let shape = input.shape else { throw .invalid("the input \"\(name)\" has no shape") }
    if let size = input.binarySize {
      guard input.data == nil else {
        throw .invalid("the input \"\(name)\" has both data and binary_data_size")
      }
      guard size <= rest.count else {
        throw .invalid("the binary data of \"\(name)\" are beyond the body")
      }
      let content = rest.prefix(size)
      rest = rest.dropFirst(size)
      let tensor = TensorData(name: name, datatype: datatype, shape: shape, content: content)
      try tensor.checkContent()
      return tensor
    }
    guard let data = input.data else { throw .invalid("the input \"\(name)\" has no data") }
    return try TensorData(json: data, name: name, datatype: datatype, shape: shape)
  }
}

extension InferenceRequest.Output {
  /// Takes the settings of an output from its parameters.
  mutating func apply(_ parameters: [String: ParameterValue]) throws(ServingError) {
    if let flag = parameters["binary_data"]?.flag { isBinary = flag }
    if let count = parameters["classification"] {
      guard let count = count.count, count <= 1 << 20 else {
        throw .invalid("classification must be a whole number")
      }
      classes = Int(count)
    }
    if parameters["shared_memory_region"] != nil { throw .sharedMemory }
  }
}

extension ServingError {
  static var sharedMemory: ServingError {
    ServingError(.unsupported, "the server has no shared memory: send the values")
  }
}
