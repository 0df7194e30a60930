import Forge
import ForgeLoaders

/// Operations on tensors in a Functional model: `x + 3`, `keras.ops.relu(x)`, `tf.nn.silu(x)`.
///
/// Keras 3 names each by its class, TensorFlow by its function; both become one name here.
enum KerasOperations {
  /// Reads the arguments that are part of the operation.
  typealias Maker = @Sendable (KerasLayer) throws(KerasFault) -> KerasStep

  private static let makers: [String: Maker] = [
    KerasArithmetic.makers, KerasFunctions.makers, KerasShapeOperations.makers,
    KerasUnaries.makers, KerasReductions.makers, KerasDot.operations, KerasSlices.makers,
    KerasComparisons.makers,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// Whether a class of Keras 3 may be an operation; some layers have the same names.
  static func has(_ kind: String) -> Bool { makers[KerasNames.snakeCase(kind)] != nil }

  /// An operation of Keras 3, whose class is `HardSilu` for `hard_silu`.
  static func step(for layer: KerasLayer) throws(KerasFault) -> KerasStep {
    try step(KerasNames.snakeCase(layer.kind), layer)
  }

  /// A function of TensorFlow, such as `math.add` or `__operators__.add`.
  static func tensorFlowStep(for layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let function = layer.config["function"]?.text,
      let last = function.split(separator: ".").last
    else { throw .unsupported(nil) }
    return try step(String(last), layer)
  }

  private static func step(_ name: String, _ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let maker = makers[name] else { throw .unsupported(nil) }
    let step = try maker(layer)
    return KerasStep { call throws(KerasFault) in
      var call = call
      let reads = KerasReads()
      call.reads = reads
      let results = try step.run(call)
      if let argument = reads.unread(of: call) {
        throw .unsupported("\(argument) of an operation")
      }
      return results
    }
  }
}

extension KerasCall {
  /// An argument of an operation: by name in the call, in the operation itself, or by position.
  func value(_ names: String..., at position: Int? = nil) -> KerasValue? {
    reads?.note(names, position)
    for name in names {
      if let found = keywords[name], !found.isNull { return found }
      if let found = layer.config[name] { return .json(found) }
    }
    guard let position, arguments.indices.contains(position), !arguments[position].isNull else {
      return nil
    }
    return arguments[position]
  }

  /// A whole number among the arguments.
  func integer(_ value: KerasValue?, default usual: Int) throws(KerasFault) -> Int {
    guard let value else { return usual }
    guard case .json(let json) = value, let integer = json.wholeNumber else {
      throw .unsupported("an argument that is not a whole number")
    }
    return integer
  }

  /// Whole numbers among the arguments.
  func integers(_ value: KerasValue?) throws(KerasFault) -> [Int]? {
    guard let value else { return nil }
    guard let integers = value.json?.wholeNumbers else {
      throw .unsupported("an argument that is not made of whole numbers")
    }
    return integers
  }

  /// A truth value among the arguments.
  func flag(_ value: KerasValue?, default usual: Bool) throws(KerasFault) -> Bool {
    guard let value else { return usual }
    guard let flag = value.json?.flag else {
      throw .unsupported("an argument that is neither true nor false")
    }
    return flag
  }

  /// A number among the arguments.
  func number(_ value: KerasValue?) throws(KerasFault) -> Float? {
    guard let value else { return nil }
    guard let number = value.json?.float else {
      throw .unsupported("an argument that is no number")
    }
    return number
  }
}

extension KerasValue {
  var isNull: Bool {
    if case .json(let json) = self { json.isNull } else { false }
  }

  /// The value without tensors; `nil` if it has some.
  var json: JSONValue? {
    switch self {
    case .json(let json): return json
    case .tensor: return nil
    case .list(let list):
      let values = list.compactMap(\.json)
      return values.count == list.count ? .array(values) : nil
    }
  }
}
