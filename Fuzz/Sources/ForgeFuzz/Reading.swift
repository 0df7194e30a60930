import Forge

/// Runs a reader, which takes the bytes whole and uses what it finds.
///
/// - Returns: 1 when the bytes were accepted, 0 when they were refused with a typed error. Any other
///   error ends the process: it is a finding.
func attempt<Failure: Error>(_ type: Failure.Type, _ read: () throws -> Void) -> Int32 {
  do {
    try read()
    return 1
  } catch let error as Failure {
    guard !"\(error)".isEmpty else { fatalError("an error without words") }
    return 0
  } catch {
    fatalError("an error that is no \(type): \(error)")
  }
}

/// Reads every byte of a parameter, so that none can lie outside what the reader owns.
func use(_ data: any ParameterData) throws {
  guard data.count >= 0 else { fatalError("\(data.count) values") }
  try data.withUnsafeBytes { bytes in
    guard bytes.count == data.count * data.elementType.byteCount else {
      fatalError("\(bytes.count) bytes for \(data.count) values of \(data.elementType)")
    }
    touch(bytes)
  }
}

/// Reads every byte.
func touch(_ bytes: UnsafeRawBufferPointer) {
  var sum: UInt8 = 0
  for byte in bytes { sum &+= byte }
  withExtendedLifetime(sum) {}
}

/// Asks a source for the parameters of the layers that it names.
func use(_ source: any ParameterSource) throws {
  let specs = source.availableNames.prefix(8).flatMap { name in
    [
      ParameterSpec(layer: name, .weights, [.outputs: 4, .height: 3, .width: 3, .inputs: 2]),
      ParameterSpec(layer: name, .biases, [.outputs: 4]),
    ]
  }
  let ready = try source.prepared(for: specs)
  for spec in specs {
    do {
      if let data = try ready.parameter(for: spec) { try use(data) }
    } catch is LoadError {
      // The shape asked for need not be the file's.
    }
  }
}
