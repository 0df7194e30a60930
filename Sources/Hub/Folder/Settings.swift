import ForgeLoaders
import ForgeShapes

/// The named values of a settings file, each read with its type and its range.
struct Settings: Sendable {
  private let object: JSONObject
  /// The file, for messages.
  let path: String
  /// The name of the object in the file with a dot, for messages.
  private let prefix: String

  init(_ object: JSONObject, path: String, prefix: String = "") {
    self.object = object
    self.path = path
    self.prefix = prefix
  }

  /// A value that is there and is not `null`.
  subscript(name: String) -> JSONValue? {
    guard let value = object[EntryName(name)], !value.isNull else { return nil }
    return value
  }

  /// The names, in the order of the file.
  var names: [String] { object.members.map(\.name.text) }

  /// The full name of a value.
  func name(_ name: String) -> String { prefix + name }

  /// The error of a value of the wrong type or range.
  func wrong(_ name: String, _ value: JSONValue, needs: String) -> HubError {
    .invalid(self.name(name), Self.text(of: value), in: path, needs: needs)
  }

  /// The error of a value that Forge does not have.
  func unsupported(_ name: String, needs: String? = nil, remedy: String? = nil) -> HubError {
    .unsupported(
      self.name(name), self[name].map(Self.text) ?? "nothing", in: path, needs: needs,
      remedy: remedy)
  }

  /// A value in few characters.
  static func text(of value: JSONValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text.prefix(80))\""
    case .flag(let flag): "\(flag)"
    case .array(let array): "a list of \(array.count)"
    case .object: "an object"
    case .null: "null"
    }
  }

  // MARK: Values

  /// A whole number; `nil` if there is none.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(HubError) -> Int? {
    guard let value = self[name] else { return nil }
    var integer = value.integer
    // Python writes some sizes as 512.0.
    if case .number(let number) = value { integer = Int(exactly: number) }
    guard let integer, range.contains(integer) else {
      throw wrong(
        name, value, needs: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// A whole number, which may have a default.
  func integer(
    _ names: String..., in range: ClosedRange<Int>, default standard: Int? = nil
  ) throws(HubError) -> Int {
    for name in names {
      if let value = try integer(name, in: range) { return value }
    }
    guard let standard else {
      throw .missing(
        name(names.first ?? ""), in: path,
        needs: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return standard
  }

  /// A finite number; `nil` if there is none.
  func number(_ name: String) throws(HubError) -> Double? {
    guard let value = self[name] else { return nil }
    switch value {
    case .integer(let integer): return Double(integer)
    case .number(let number) where number.isFinite: return number
    default: throw wrong(name, value, needs: "a finite number")
    }
  }

  /// A number that is added to variances.
  func epsilon(_ names: String..., default standard: Float) throws(HubError) -> Float {
    for name in names {
      guard let number = try number(name) else { continue }
      guard number >= 0, number <= 1 else {
        throw .invalid(self.name(name), "\(number)", in: path, needs: "a number from 0 to 1")
      }
      return Float(number)
    }
    return standard
  }

  /// A Boolean.
  func flag(_ name: String, default standard: Bool = false) throws(HubError) -> Bool {
    guard let value = self[name] else { return standard }
    guard let flag = value.flag else { throw wrong(name, value, needs: "true or false") }
    return flag
  }

  /// A text; `nil` if there is none.
  func text(_ name: String) throws(HubError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.text else { throw wrong(name, value, needs: "a text") }
    return text
  }

  /// The settings in an object; `nil` if there is none.
  func settings(_ name: String) throws(HubError) -> Settings? {
    guard let value = self[name] else { return nil }
    guard let object = value.object else { throw wrong(name, value, needs: "an object") }
    return Settings(object, path: path, prefix: "\(prefix)\(name).")
  }

  // MARK: Refusals

  /// Refuses a flag that is set.
  func refuse(_ name: String, remedy: String? = nil) throws(HubError) {
    guard let value = self[name], value.flag != false else { return }
    throw unsupported(name, needs: "false", remedy: remedy)
  }

  /// Refuses a text other than some.
  func require(_ name: String, _ texts: String...) throws(HubError) {
    guard let text = try text(name), !texts.contains(text) else { return }
    throw unsupported(name, needs: texts.joined(separator: ", "))
  }
}
