#if Macros
  import Forge

  /// The inputs of one prediction of a typed network.
  ///
  /// One input is a ``FixedTensor``, or `TensorValues` where a size is not known while Swift
  /// compiles. Several are a structure with a property for each.
  public protocol NetworkInput: Sendable {
    /// The shape of each input, `nil` for any; the name where there are several.
    static var inputShapes: [(name: String?, shape: Shape?)] { get }
    /// The values in the form that every network takes.
    var predictionInputs: PredictionInputs { get }
  }

  /// The outputs of one prediction of a typed network.
  ///
  /// One output is a ``FixedTensor``, or `TensorValues` where a size is not known while Swift
  /// compiles. Several are a structure with a property for each.
  public protocol NetworkOutput: PredictionOutput {
    /// The shape of each output, `nil` for any; the name where there are several.
    static var outputShapes: [(name: String?, shape: Shape?)] { get }
  }

  extension TensorValues: NetworkInput, NetworkOutput {
    /// Any shape.
    public static var inputShapes: [(name: String?, shape: Shape?)] { [(nil, nil)] }
    /// Any shape.
    public static var outputShapes: [(name: String?, shape: Shape?)] { [(nil, nil)] }
    /// `true`: the only output.
    public static var isSingle: Bool { true }
    /// The only output of a network.
    public init(_ predictions: Predictions) {
      self = predictions.tensors.first ?? TensorValues(shape: Shape([]), values: [])
    }
  }

  /// A network whose input and output sizes are part of its Swift type.
  ///
  /// `@Network` makes one for each network; there is no need to write one by hand.
  /// ```swift
  /// @Network enum Digits {
  ///   static let body =
  ///     Input(width: 28, height: 28, channels: 1)
  ///     --> Dense(neurons: 10, name: "fc")
  ///     --> Softmax()
  /// }
  /// let digits = try Digits.Network(parameters: HDF5Parameters("digits.h5"))
  /// let classes = try digits.predict(FixedImage<28, 28, 1>(values: pixels))  // FixedVector<10>
  /// ```
  public protocol TypedNetwork: Sendable {
    /// The type of the inputs.
    associatedtype Input: NetworkInput
    /// The type of the outputs.
    associatedtype Output: NetworkOutput
    /// The description of the network.
    static var model: Model { get }
    /// The compiled network, for `Context`, `RealtimeContext` and `Runner`.
    var compiled: CompiledModel { get }
    /// Creates a network from a compiled one whose shapes have been checked.
    init(checked compiled: CompiledModel)
  }

  extension TypedNetwork {
    /// Uses a compiled model.
    ///
    /// - Parameter compiled: the compiled ``model``, or any other of the same shapes.
    /// - Throws: `PredictionError` of kind `wrongShape` when its inputs or outputs are others.
    public init(_ compiled: CompiledModel) throws(PredictionError) {
      try Self.check(Input.inputShapes, compiled.inputNames, compiled.inputShapes)
      try Self.check(Output.outputShapes, compiled.outputNames, compiled.outputShapes)
      self.init(checked: compiled)
    }

    /// Compiles the network with a source of parameters.
    ///
    /// - Parameters:
    ///   - parameters: where the trained values come from.
    ///   - options: threads, precision and more.
    /// - Throws: `CompileError` with every parameter that is missing or does not fit.
    public init(
      parameters: some ParameterSource, options: CompileOptions = CompileOptions()
    ) throws {
      try self.init(try Self.model.compile(parameters: parameters, options: options))
    }

    /// Compiles the network with a closure that returns each parameter.
    ///
    /// - Parameters:
    ///   - options: threads, precision and more.
    ///   - parameters: returns the values for the name of a layer, their count and their type.
    /// - Throws: `CompileError` with every parameter that is missing or does not fit.
    public init(
      options: CompileOptions = CompileOptions(),
      parameters: (_ name: String, _ count: Int, _ type: ParameterType) throws -> (
        any ParameterData
      )?
    ) throws {
      try self.init(try Self.model.compile(options: options, parameters: parameters))
    }

    /// Predicts from one input.
    ///
    /// - Parameter input: the input, whose sizes Swift has checked.
    /// - Returns: the output.
    /// - Throws: `PredictionError` when the prediction fails, such as for lack of memory.
    public func predict(_ input: Input) throws(PredictionError) -> Output {
      try compiled.predict(Self.request(input))
    }

    /// Predicts from several inputs at once.
    ///
    /// - Parameter inputs: at least one and at most as many as the options of the compile allow.
    /// - Returns: the output of each, in order.
    /// - Throws: `PredictionError` when the batch is empty or too large.
    public func predict(batch inputs: [Input]) throws(PredictionError) -> [Output] {
      try compiled.predict(batch: inputs.map { Self.request($0) })
    }

    /// An input in the form that `Context` and `Runner` take; the result has the type ``Output``.
    ///
    /// - Parameter input: the input.
    /// - Returns: the request.
    public static func request(_ input: Input) -> TypedRequest<Self> { TypedRequest(input) }

    private static func check(
      _ expected: [(name: String?, shape: Shape?)], _ names: [String], _ shapes: [Shape]
    ) throws(PredictionError) {
      guard expected.count == shapes.count else {
        throw PredictionError(
          .wrongShape, "the network has different tensors",
          received: names.map { "\"\($0)\"" }.joined(separator: ", "),
          needs: PredictionError.counted(expected.count, "tensor"))
      }
      for (index, expected) in expected.enumerated() {
        // Several tensors go by their names, as their order is that in which they were made.
        guard let found = expected.name.map({ names.firstIndex(of: $0) }) ?? index else {
          throw .unknownName(expected.name ?? "", what: "tensor", known: names)
        }
        guard let needed = expected.shape else { continue }
        guard needed.sizesWithoutOnes == shapes[found].sizesWithoutOnes else {
          throw .wrongShape(names[found], received: shapes[found], needs: needed)
        }
      }
    }
  }

  extension Shape {
    /// The sizes that are not 1: the output of a Dense layer is a vector of width and height 1.
    var sizesWithoutOnes: [Int?] { dimensions.filter { $0 != 1 } }
  }

  /// One input of a typed network for `Context` and `Runner`.
  public struct TypedRequest<Network: TypedNetwork>: PredictionInput {
    /// The output of the network.
    public typealias Output = Network.Output
    /// The input.
    public let input: Network.Input

    init(_ input: Network.Input) { self.input = input }

    /// The input in the general form.
    public var predictionInputs: PredictionInputs { input.predictionInputs }
  }
#endif
