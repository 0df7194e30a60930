import Forge

/// Builds the operations of ML Programs.
struct MILProgramImport {
  private let path: String
  private let limits: ImportLimits
  private let reader: MILReader
  /// What Forge lacks, collected over all programs.
  var unsupported: [UnsupportedNode] = []
  private(set) var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  /// The labels of a classifier.
  private(set) var labels: [String] = []
  private var operationCount = 0
  /// Whether the function that is built has quantizations of values computed at run time.
  private var quantizes = false

  init(path: String, limits: ImportLimits, files: ModelFiles) {
    self.path = path
    self.limits = limits
    reader = MILReader(files: files)
  }

  /// Builds a function of a program on values by name, and returns the values of its outputs.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge` or
  ///   `invalidNode`. What is not supported is collected, and its values are missing.
  mutating func build(
    _ program: MILProgram, function name: String, on inputs: [String: FileValue],
    prefix: String = ""
  ) throws(ImportError) -> [String: FileValue] {
    guard let function = try program.function(name) else {
      throw ImportError(
        .malformed, "the ML Program lacks its function", path: path,
        received: program.names.joined(separator: ", "),
        needs: name.isEmpty ? MILProgram.usualFunction : name)
    }
    operationCount = operationCount.addingSaturated(function.operations.count)
    guard operationCount <= limits.nodes else {
      throw .tooLarge("\(operationCount) operations", limit: "nodes", limits.nodes, path: path)
    }
    var values = inputs.mapValues { MILOperand.value($0) }
    // Values that do not exist because an operation before them is not supported.
    var missing: Set<String> = []
    for input in function.inputs where values[input.name] == nil {
      guard input.isState else {
        throw ImportError(
          .malformed, "the ML Program reads an input that the model does not have", path: path,
          received: "\"\(input.name)\"")
      }
      unsupported.append(UnsupportedNode(type: "state", detail: nil, name: input.name))
      missing.insert(input.name)
    }
    let outputs = Set(function.outputs)
    var readers = self.readers(of: function)
    quantizes = function.operations.contains { $0.type == "quantize" }
    for operation in function.operations {
      try build(operation, outputs, prefix, &values, &missing)
      // Computed constants are released behind the last operation that reads them.
      for name in operation.readNames {
        readers[name, default: 1] -= 1
        guard readers[name] == 0, case .value(.host(let tensor))? = values[name],
          tensor.held != nil || tensor.folded != nil
        else { continue }
        tensor.folded?.release()
        values[name] = nil
      }
    }
    var results: [String: FileValue] = [:]
    for name in function.outputs {
      if case .value(let value)? = values[name] { results[name] = value }
    }
    return results
  }

  /// How many operations read each value; outputs of the function are read in the end.
  private func readers(of function: MILFunction) -> [String: Int] {
    var readers: [String: Int] = [:]
    for operation in function.operations {
      for name in operation.readNames { readers[name, default: 0] += 1 }
    }
    for name in function.outputs { readers[name, default: 0] += 1 }
    return readers
  }

  private mutating func build(
    _ operation: MILOperation, _ outputs: Set<String>, _ prefix: String,
    _ values: inout [String: MILOperand], _ missing: inout Set<String>
  ) throws(ImportError) {
    let name = operation.outputs.first ?? ""
    guard let build = MILOperators.table[operation.type] else {
      refuse(operation, nil)
      missing.formUnion(operation.outputs)
      return
    }
    var operands: [String: [MILOperand]] = [:]
    do {
      for (key, bindings) in operation.inputs {
        for binding in bindings {
          switch binding {
          case .name(let source):
            if missing.contains(source) {
              missing.formUnion(operation.outputs)
              return
            }
            guard let value = values[source] else {
              throw NodeFailure.invalid("\"\(source)\", which no earlier operation makes")
            }
            operands[key, default: []].append(value)
          case .value(let value): operands[key, default: []].append(try reader.operand(value))
          case .none: throw NodeFailure.invalid("an operand \(key) without a value")
          }
        }
      }
      // Constants have their values as attributes.
      for (key, value) in operation.attributes where operands[key] == nil && key != "name" {
        operands[key] = [try reader.operand(value)]
      }
      var call = MILCall(
        operation, operands: operands, modelOutputs: outputs, prefix: prefix,
        quantizes: quantizes)
      let place = SourcePlace(file: path, entry: "\(operation.type) \"\(name)\"")
      try SourcePlace.describing(for: place) { try build(&call) }
      try take(call, &values, &missing)
    } catch {
      try report(error, operation, name)
      missing.formUnion(operation.outputs)
    }
  }

  /// Takes over the results of an operation.
  private mutating func take(
    _ call: MILCall, _ values: inout [String: MILOperand], _ missing: inout Set<String>
  ) throws {
    parameters.merge(call.parameters) { first, _ in first }
    guard parameters.count <= limits.tensors else {
      throw ImportError.tooLarge("more weights", limit: "tensors", limits.tensors, path: path)
    }
    if call.operation.type == "classify" { labels = try call.labels("classes") }
    for (output, result) in zip(call.operation.outputs, call.results) {
      guard !output.isEmpty, values[output] == nil, !missing.contains(output) else {
        throw NodeFailure.invalid("a second value \"\(output)\"")
      }
      guard let result else {
        missing.insert(output)
        continue
      }
      values[output] = result
    }
  }

  // MARK: Errors

  private mutating func refuse(_ operation: MILOperation, _ detail: String?) {
    unsupported.append(
      UnsupportedNode(
        type: operation.type, detail: detail, name: operation.outputs.first ?? ""))
  }

  /// Collects what is not supported; throws what is wrong.
  private mutating func report(
    _ error: any Error, _ operation: MILOperation, _ name: String
  ) throws(ImportError) {
    switch error {
    case NodeFailure.unsupported(let detail): refuse(operation, detail)
    case NodeFailure.invalid(let text):
      throw ImportError(
        .invalidNode, "an operation does not fit its inputs", path: path,
        entry: "\(name) (\(operation.type))", received: text)
    case let error as ImportError: throw error
    case let error as LoadError:
      var failure = ImportError(loading: error)
      if failure.entry == nil { failure.entry = name }
      throw failure
    default:
      throw ImportError(
        .unreadable, "the weights of an operation cannot be read", path: path, entry: name,
        cause: error)
    }
  }
}
