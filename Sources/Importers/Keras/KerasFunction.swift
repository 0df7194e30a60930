import Forge
import ForgeLoaders

/// One function of `keras.ops`, `keras.activations` or TensorFlow: all that Forge knows of it.
///
/// Every fact is stated. The value stands in the file of the function's family and in the family's
/// list.
struct KerasFunction: Sendable {
  /// Reads the arguments that are part of an operation.
  typealias Build = @Sendable (KerasLayer) throws(KerasFault) -> KerasStep

  /// What the function is as the activation of a layer, with Keras's default arguments.
  enum Activation: Sendable {
    /// The function is not an activation.
    case none
    /// A function that Forge applies in the layer, by the major version of Keras.
    case inLayer(@Sendable (_ generation: Int) -> ActivationFunction)
    /// A step after the layer.
    case after(KerasStep)
  }

  /// The names, that of Keras first: `multiply` of the class `Multiply`, `mul` of TensorFlow.
  let names: [String]
  /// What the function is as an activation.
  let activation: Activation
  /// Reads an operation.
  let build: Build

  init(_ names: [String], activation: Activation, build: @escaping Build) {
    self.names = names
    self.activation = activation
    self.build = build
  }

  init(_ names: String..., activation: Activation, build: @escaping Build) {
    self.init(names, activation: activation, build: build)
  }

  /// Creates a function that is an activation of one tensor, without other arguments.
  init(_ names: String..., activation: Activation) {
    self.names = names
    self.activation = activation
    build = { layer throws(KerasFault) in
      switch activation {
      case .none: throw .unsupported(nil)
      case .inLayer(let function):
        let function = function(layer.generation)
        return .layer { Forge.Activation(function, name: $0.name) }
      case .after(let step): return step
      }
    }
  }
}

/// The functions that Forge has, as operations in a Functional model: `x + 3`,
/// `keras.ops.relu(x)`, `tf.nn.silu(x)`.
///
/// Keras 3 names each by its class, TensorFlow by its function; both become one name here.
enum KerasFunctions {
  /// The functions by family; each family is a file.
  private static let families: [[KerasFunction]] = [
    KerasActivationFunctions.functions, KerasArithmetic.functions, KerasComparisons.functions,
    KerasCurves.functions, KerasDot.functions, KerasMovements.functions,
    KerasReductions.functions, KerasSelections.functions, KerasShapeOperations.functions,
    KerasSlices.functions, KerasStatistics.functions, KerasSums.functions,
    KerasUnaries.functions, KerasWindows.functions,
  ]

  /// All functions.
  static let all = families.flatMap(\.self)

  private static let byName = Dictionary(
    all.flatMap { function in function.names.map { ($0, function) } }
  ) { first, _ in first }

  /// The function of a name; `nil` if Forge does not have it.
  static func find(_ name: String) -> KerasFunction? { byName[name] }

  /// Whether a class of Keras 3 may be an operation; some layers have the same names.
  static func has(_ kind: String) -> Bool { find(KerasNames.snakeCase(kind)) != nil }

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
    guard let function = find(name) else { throw .unsupported(nil) }
    let step = try function.build(layer)
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
