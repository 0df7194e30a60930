/// A value of the description of a Keras model, as JSON.
///
/// Python's JSON has `NaN`, `Infinity` and `-Infinity`, and so has this one.
indirect enum KerasJSON {
  case null
  case flag(Bool)
  case integer(Int)
  case number(Float)
  case text(String)
  case list([KerasJSON])
  case object([(name: String, value: KerasJSON)])
  /// An array of NumPy, whose values are computed when they are written.
  case array(KerasArray)

  /// A list of integers.
  static func integers(_ values: [Int]) -> KerasJSON { .list(values.map { .integer($0) }) }

  /// An array of NumPy of integers.
  static func integerArray(_ values: [Int]) -> KerasJSON {
    .object("__numpy__", .object([("value", .integers(values)), ("dtype", .text("int32"))]))
  }

  /// An object of one kind that Keras builds again.
  static func object(_ kind: String, _ config: KerasJSON) -> KerasJSON {
    .object([("class_name", .text(kind)), ("config", config)])
  }

  /// The part of an axis in a slice of Python.
  static func slice(_ start: Int?, _ stop: Int?, _ step: Int?) -> KerasJSON {
    func bound(_ bound: Int?) -> KerasJSON { bound.map { .integer($0) } ?? .null }
    return .object(
      "__slice__",
      .object([("start", bound(start)), ("stop", bound(stop)), ("step", bound(step))]))
  }
}

/// Numbers of any sizes in the description of a Keras model.
struct KerasArray {
  let sizes: [Int]
  /// Returns the numbers in row-major order.
  let values: () throws -> [Float]
}

/// Bytes of a JSON text, handed over in pieces.
struct KerasTextWriter {
  private static let pieceBytes = 1 << 16
  private var bytes: [UInt8] = []

  /// Hands the text of a value over.
  ///
  /// - Parameters:
  ///   - json: the value.
  ///   - add: receives the pieces in order.
  /// - Throws: what the values of arrays throw, and what `add` throws.
  static func write(_ json: KerasJSON, _ add: ([UInt8]) throws -> Void) throws {
    var writer = KerasTextWriter()
    try writer.write(json, add)
    try add(writer.bytes)
  }

  private mutating func write(_ json: KerasJSON, _ add: ([UInt8]) throws -> Void) throws {
    switch json {
    case .null: append("null")
    case .flag(let flag): append(flag ? "true" : "false")
    case .integer(let integer): append("\(integer)")
    case .number(let number): append(Self.text(number))
    case .text(let text): append(Self.quoted(text))
    case .list(let list):
      append("[")
      for (index, item) in list.enumerated() {
        if index > 0 { append(", ") }
        try write(item, add)
      }
      append("]")
    case .object(let members):
      append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { append(", ") }
        append(Self.quoted(member.name) + ": ")
        try write(member.value, add)
      }
      append("}")
    case .array(let array):
      append("{\"class_name\": \"__numpy__\", \"config\": {\"value\": ")
      let values = try array.values()
      try write(values[...], array.sizes[...], add)
      append(", \"dtype\": \"float32\"}}")
    }
    try handOver(add)
  }

  /// Hands full pieces over.
  private mutating func handOver(_ add: ([UInt8]) throws -> Void) throws {
    guard bytes.count >= Self.pieceBytes else { return }
    try add(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }

  /// Writes numbers as lists of lists.
  private mutating func write(
    _ values: ArraySlice<Float>, _ sizes: ArraySlice<Int>,
    _ add: ([UInt8]) throws -> Void
  ) throws {
    guard let count = sizes.first else {
      append(Self.text(values.first ?? 0))
      return
    }
    append("[")
    let part = count == 0 ? 0 : values.count / count
    for index in 0..<count {
      if index > 0 { append(", ") }
      let start = values.startIndex + index * part
      try write(values[start..<start + part], sizes.dropFirst(), add)
    }
    append("]")
    try handOver(add)
  }

  /// The shortest decimal that is the number again.
  private static func text(_ number: Float) -> String {
    guard !number.isNaN else { return "NaN" }
    guard number.isFinite else { return number < 0 ? "-Infinity" : "Infinity" }
    return "\(number)"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case " "..."~": quoted.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return quoted + "\""
  }
}
