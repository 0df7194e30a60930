import Forge

/// An ML Program (MIL.proto), whose functions are read when they are asked for.
struct MILProgram {
  private let functions: [String: WireFields]

  init(_ fields: WireFields) throws(ImportError) {
    functions = try fields.map(2) { entry throws(ImportError) in
      try WireFields(entry.messages(2))
    }
  }

  /// The names of the functions.
  var names: [String] { functions.keys.sorted() }

  /// The function of a model that names none.
  static let usualFunction = "main"

  /// Reads a function; `nil` if the program does not have it, or it has no operations.
  ///
  /// - Parameter name: the name; ``usualFunction`` if it is empty.
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  func function(_ name: String) throws(ImportError) -> MILFunction? {
    guard let fields = functions[name.isEmpty ? Self.usualFunction : name] else { return nil }
    return try MILFunction(fields)
  }
}

/// A function of an ML Program.
struct MILFunction {
  /// The set of operations: `CoreML8`.
  let opset: String
  let inputs: [Input]
  /// The names of the results.
  let outputs: [String]
  let operations: [MILOperation]

  /// An input by its name, and whether it is a state that stays between predictions.
  struct Input {
    let name: String
    let isState: Bool
  }

  fileprivate init?(_ fields: WireFields) throws(ImportError) {
    opset = try fields.name(2)
    let blocks = try fields.map(3) { entry throws(ImportError) in try entry.messages(2) }
    guard let block = blocks[opset] ?? blocks.min(by: { $0.key < $1.key })?.value else {
      return nil
    }
    var inputs: [Input] = []
    for input in try fields.list(1) {
      let type = try input.message(2)?.last { (1...5).contains($0) }
      inputs.append(Input(name: try input.name(1), isState: type == 5))
    }
    self.inputs = inputs
    let content = try WireFields(block)
    outputs = try content.names(2)
    var operations: [MILOperation] = []
    for operation in try content.messages(3) { operations.append(try MILOperation(operation)) }
    self.operations = operations
  }
}

/// An operation of an ML Program.
struct MILOperation {
  /// The type: `conv`.
  let type: String
  /// What is read, by name and in the order of the names.
  let inputs: [(key: String, bindings: [Binding])]
  /// The names of the results.
  let outputs: [String]
  /// The attributes by name, which are constants.
  let attributes: [String: MILConstant]

  /// One of the values that an input reads.
  enum Binding {
    case name(String)
    case value(MILConstant)
    case none
  }

  fileprivate init(_ message: WireMessage) throws(ImportError) {
    let fields = try WireFields(message)
    type = try fields.name(1)
    inputs = try fields.map(2) { entry throws(ImportError) in
      var bindings: [Binding] = []
      for binding in try entry.message(2)?.list(1) ?? [] {
        switch binding.last(where: { [1, 2].contains($0) }) {
        case 1: bindings.append(.name(try binding.name(1)))
        case 2: bindings.append(.value(MILConstant(parts: try binding.messages(2))))
        default: bindings.append(.none)
        }
      }
      return bindings
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    var outputs: [String] = []
    for output in try fields.list(3) { outputs.append(try output.name(1)) }
    self.outputs = outputs
    attributes = try fields.map(5) { entry throws(ImportError) in
      MILConstant(parts: try entry.messages(2))
    }
  }

  /// The names of the values that are read.
  var readNames: [String] {
    inputs.flatMap(\.bindings).compactMap { if case .name(let name) = $0 { name } else { nil } }
  }
}

/// A constant of an ML Program that is not read yet.
struct MILConstant {
  fileprivate let parts: [WireMessage]

  /// The fields of the constant.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  func fields() throws(ImportError) -> WireFields { try WireFields(parts) }
}
