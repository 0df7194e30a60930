import ForgeOperations
import ForgeShapes

/// A layer of a fixture: its type and arguments by the names that Forge's layer has.
public struct FixtureLayer: Decodable, Sendable {
  /// The type: `Convolution`.
  public let type: String
  /// The name, unique in its case.
  public let name: String
  /// The layers or inputs it reads.
  public let inputs: [String]
  private let arguments: [String: Argument]

  /// A value of JSON.
  private enum Argument: Decodable, Sendable {
    case flag(Bool)
    case number(Double)
    case text(String)
    case numbers([Double])
    case texts([String])
    case object([String: Argument])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .flag(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([Double].self) {
        self = .numbers(value)
      } else if let value = try? container.decode([String].self) {
        self = .texts(value)
      } else {
        self = .object(try container.decode([String: Argument].self))
      }
    }
  }

  /// Decodes a layer, whatever its arguments.
  public init(from decoder: any Decoder) throws {
    let all = try decoder.singleValueContainer().decode([String: Argument].self)
    guard case .text(let type)? = all["type"], case .text(let name)? = all["name"],
      case .texts(let inputs)? = all["inputs"]
    else { throw FixtureError("a layer without type, name or inputs") }
    self.type = type
    self.name = name
    self.inputs = inputs
    arguments = all
  }

  private func missing(_ name: String) -> FixtureError {
    FixtureError("\(type) \"\(self.name)\" has no argument \(name) of that type")
  }

  /// Whether an argument is stated.
  public func has(_ name: String) -> Bool { arguments[name] != nil }

  /// A number.
  public func number(_ name: String) throws -> Double {
    guard case .number(let value)? = arguments[name] else { throw missing(name) }
    return value
  }

  /// A whole number.
  public func count(_ name: String) throws -> Int {
    guard let value = Int(exactly: try number(name)) else { throw missing(name) }
    return value
  }

  /// A Boolean.
  public func flag(_ name: String) throws -> Bool {
    guard case .flag(let value)? = arguments[name] else { throw missing(name) }
    return value
  }

  /// A word.
  public func text(_ name: String) throws -> String {
    guard case .text(let value)? = arguments[name] else { throw missing(name) }
    return value
  }

  /// Several numbers.
  public func numbers(_ name: String) throws -> [Float] {
    guard case .numbers(let values)? = arguments[name] else { throw missing(name) }
    return values.map(Float.init)
  }

  /// Several whole numbers.
  public func counts(_ name: String) throws -> [Int] {
    try numbers(name).map(Int.init)
  }

  /// Several words.
  public func texts(_ name: String) throws -> [String] {
    switch arguments[name] {
    case .texts(let values)?: return values
    // Nothing tells an empty list of words from one of numbers.
    case .numbers(let values)? where values.isEmpty: return []
    default: throw missing(name)
    }
  }

  /// A width and height, or a step in x and y.
  public func size(_ name: String) throws -> Size {
    let pair = try counts(name)
    guard pair.count == 2 else { throw missing(name) }
    return Size(width: pair[0], height: pair[1])
  }

  private func object(_ name: String) throws -> [String: Double] {
    guard case .object(let object)? = arguments[name] else { throw missing(name) }
    return object.compactMapValues { if case .number(let value) = $0 { value } else { nil } }
  }

  /// Pixels on each edge.
  public func edges(_ name: String) throws -> Edges {
    let edges = try object(name).mapValues { Int($0) }
    guard let top = edges["top"], let left = edges["left"], let bottom = edges["bottom"],
      let right = edges["right"]
    else { throw missing(name) }
    return Edges(top: top, left: left, bottom: bottom, right: right)
  }

  /// The argument `padding` of a window layer.
  public func padding() throws -> Padding {
    switch try? text("padding") {
    case "same": .same
    case "valid": .valid
    default: .edges(try edges("padding"))
    }
  }

  /// Kernel, stride, dilation and padding; what is not stated is one pixel and none.
  public func geometry() throws -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: has("kernel") ? try size("kernel") : .one, stride: try size("stride"),
      dilation: has("dilation") ? try size("dilation") : .one,
      padding: has("padding") ? try padding() : .valid)
  }

  /// The argument `crop` of a resize, when it has one.
  public func crop() throws -> CropRectangle? {
    guard has("crop") else { return nil }
    let crop = try object("crop")
    guard let x = crop["x"], let y = crop["y"], let width = crop["width"],
      let height = crop["height"]
    else { throw missing("crop") }
    return CropRectangle(x: x, y: y, width: width, height: height)
  }

  /// The arguments `red`, `green` and `blue`.
  public func meanColor() throws -> [Float] {
    try ["red", "green", "blue"].map { Float(try number($0)) }
  }

  /// The argument `interpolation`.
  public func resizeMode() throws -> ResizeMode {
    switch try text("interpolation") {
    case "nearest": .nearest
    case "bilinear": .bilinear
    case "bilinearAntialiased": .bilinearAntialiased
    case let other: throw FixtureError("no interpolation \(other)")
    }
  }

  /// The argument `activation`; linear when it is not stated.
  public func activation() throws -> ActivationFunction {
    guard case .object(let object)? = arguments["activation"] else { return .linear }
    guard case .text(let function)? = object["function"] else { throw missing("activation") }
    func number(_ name: String) throws -> Float {
      guard case .number(let value)? = object[name] else { throw missing("activation.\(name)") }
      return Float(value)
    }
    switch function {
    case "linear": return .linear
    case "relu": return .relu
    case "relu6": return .relu6
    case "clipped":
      return .clipped(minimum: try number("minimum"), maximum: try number("maximum"))
    case "leakyReLU": return .leakyReLU(slope: try number("slope"))
    case "elu": return .elu(alpha: try number("alpha"))
    case "selu": return .selu
    case "sigmoid": return .sigmoid
    case "tanh": return .tanh
    case "hardSigmoid": return .hardSigmoid
    case "hardSigmoidKeras2": return .hardSigmoidKeras2
    case "hardSigmoidLinear":
      return .hardSigmoidLinear(alpha: try number("alpha"), beta: try number("beta"))
    case "hardSwish": return .hardSwish
    case "swish": return .swish
    case "mish": return .mish
    case "gelu": return .gelu
    case "geluTanh": return .geluTanh
    case "softplus": return .softplus
    default: throw FixtureError("no activation \(function)")
    }
  }
}
