import Forge
import ForgeMessages

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

  init(path: String, limits: ImportLimits) {
    self.path = path
    self.limits = limits
    reader = MILReader(path: path)
  }

  /// The operations of a program's function; none if it does not have it.
  static func block(_ program: MILProgram, function: String) -> (MILFunction, MILBlock)? {
    guard let function = program.functions[function.isEmpty ? "main" : function],
      let block = function.blockSpecializations[function.opset]
        ?? function.blockSpecializations.min(by: { $0.key < $1.key })?.value
    else { return nil }
    return (function, block)
  }

  /// Builds a function of a program on values by name, and returns the values of its outputs.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge` or
  ///   `invalidNode`. What is not supported is collected, and its values are missing.
  mutating func build(
    _ program: MILProgram, function name: String, on inputs: [String: FileValue],
    prefix: String = ""
  ) throws(ImportError) -> [String: FileValue] {
    guard let (function, block) = Self.block(program, function: name) else {
      throw ImportError(
        .malformed, "the ML Program lacks its function", path: path,
        received: program.functions.keys.sorted().joined(separator: ", "),
        needs: name.isEmpty ? "main" : name)
    }
    operationCount = operationCount.addingSaturated(block.operations.count)
    guard operationCount <= limits.nodes else {
      throw .tooLarge("\(operationCount) operations", limit: "nodes", limits.nodes, path: path)
    }
    var values = inputs.mapValues { MILOperand.value($0) }
    // Values that do not exist because an operation before them is not supported.
    var missing: Set<String> = []
    for input in function.inputs where values[input.name] == nil {
      guard case .state? = input.type.kind else {
        throw ImportError(
          .malformed, "the ML Program reads an input that the model does not have", path: path,
          received: "\"\(input.name)\"")
      }
      unsupported.append(UnsupportedNode(type: "state", detail: nil, name: input.name))
      missing.insert(input.name)
    }
    let outputs = Set(block.outputs)
    var readers = try self.readers(of: block)
    for operation in block.operations {
      try build(operation, outputs, prefix, &values, &missing)
      // Computed constants are released behind the last operation that reads them.
      for name in Self.names(readBy: operation) {
        readers[name, default: 1] -= 1
        guard readers[name] == 0, case .value(.host(let tensor))? = values[name],
          tensor.held != nil
        else { continue }
        values[name] = nil
      }
    }
    var results: [String: FileValue] = [:]
    for name in block.outputs {
      if case .value(let value)? = values[name] { results[name] = value }
    }
    return results
  }

  /// How many operations read each value, with names that have been checked; outputs of the block
  /// are read in the end.
  private func readers(of block: MILBlock) throws(ImportError) -> [String: Int] {
    for operation in block.operations {
      for name in Self.names(readBy: operation) + operation.outputs.map(\.name) {
        try limits.check(name: name, path: path)
      }
    }
    for name in block.outputs { try limits.check(name: name, path: path) }
    var readers: [String: Int] = [:]
    for operation in block.operations {
      for name in Self.names(readBy: operation) { readers[name, default: 0] += 1 }
    }
    for name in block.outputs { readers[name, default: 0] += 1 }
    return readers
  }

  /// The names of the values that an operation reads.
  private static func names(readBy operation: MILOperation) -> [String] {
    operation.inputs.values.flatMap { argument in
      argument.arguments.compactMap { binding in
        if case .name(let name) = binding.kind { name } else { nil }
      }
    }
  }

  private mutating func build(
    _ operation: MILOperation, _ outputs: Set<String>, _ prefix: String,
    _ values: inout [String: MILOperand], _ missing: inout Set<String>
  ) throws(ImportError) {
    let name = operation.outputs.first?.name ?? ""
    guard let build = MILOperators.table[operation.type] else {
      refuse(operation, nil)
      missing.formUnion(operation.outputs.map(\.name))
      return
    }
    var operands: [String: [MILOperand]] = [:]
    do {
      for (key, argument) in operation.inputs.sorted(by: { $0.key < $1.key }) {
        for binding in argument.arguments {
          switch binding.kind {
          case .name(let source):
            if missing.contains(source) {
              missing.formUnion(operation.outputs.map(\.name))
              return
            }
            guard let value = values[source] else {
              throw NodeFailure.invalid("\"\(source)\", which no earlier operation makes")
            }
            operands[key, default: []].append(value)
          case .value(let value): operands[key, default: []].append(try reader.operand(value))
          case nil: throw NodeFailure.invalid("an operand \(key) without a value")
          }
        }
      }
      // Constants have their values as attributes.
      for (key, value) in operation.attributes where operands[key] == nil && key != "name" {
        operands[key] = [try reader.operand(value)]
      }
      var call = MILCall(
        operation, operands: operands, programOutputs: outputs, prefix: prefix, path: path)
      let place = SourcePlace(file: path, entry: "\(operation.type) \"\(name)\"")
      try SourcePlace.describing(for: place) { try build(&call) }
      try take(call, &values, &missing)
    } catch {
      try report(error, operation, name)
      missing.formUnion(operation.outputs.map(\.name))
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
      guard !output.name.isEmpty, values[output.name] == nil, !missing.contains(output.name) else {
        throw NodeFailure.invalid("a second value \"\(output.name)\"")
      }
      guard let result else {
        missing.insert(output.name)
        continue
      }
      values[output.name] = result
    }
  }

  // MARK: Errors

  private mutating func refuse(_ operation: MILOperation, _ detail: String?) {
    unsupported.append(
      UnsupportedNode(
        type: operation.type, detail: detail, name: operation.outputs.first?.name ?? ""))
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
