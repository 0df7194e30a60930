#if Macros
  @_exported import Forge

  /// Checks the network of a type while Swift compiles, and makes its typed form, `Network`.
  ///
  /// ```swift
  /// @Network enum Digits {
  ///   static let body =
  ///     Input(width: 28, height: 28, channels: 1)
  ///     --> Convolution(kernel: 5, channels: 20, activation: .relu, name: "conv1")
  ///     --> MaxPooling(2)
  ///     --> Dense(neurons: 10, name: "fc")
  ///     --> Softmax()
  /// }
  /// let digits = try Digits.Network(parameters: HDF5Parameters("digits.h5"))
  /// ```
  /// The macro evaluates `body`, a tensor, an array of tensors or a model, with the shape rules
  /// that `compile()` uses. A mistake is an error of the Swift compiler at the layer. What it
  /// cannot know while Swift compiles has an unknown size. A remark says so, and `compile()` checks
  /// it.
  ///
  /// The type gains a structure `Network` (see ``TypedNetwork``), whose inputs and outputs have
  /// their sizes in their types.
  ///
  /// - Parameters:
  ///   - maxParameters: the most parameters the network may have; more are an error.
  ///   - weights: a file of weights, relative to the source file, whose names and shapes must fit.
  ///   - summary: whether the compiler shows the table of layers as a note.
  @attached(member, names: named(Network))
  public macro Network(
    maxParameters: Int? = nil, weights: String? = nil, summary: Bool = false
  ) = #externalMacro(module: "ForgeMacroPlugin", type: "NetworkMacro")

  /// A model that is checked while Swift compiles.
  ///
  /// ```swift
  /// let model = #network {
  ///   Input(width: 28, height: 28, channels: 1)
  ///     --> Dense(neurons: 10, name: "fc")
  ///     --> Softmax()
  /// }
  /// ```
  /// It is checked as `@Network` checks a type. The result is a plain `Model`.
  ///
  /// - Parameters:
  ///   - maxParameters: the most parameters the network may have; more are an error.
  ///   - weights: a file of weights, relative to the source file, whose names and shapes must fit.
  ///   - describe: returns a tensor, an array of tensors or a model.
  /// - Returns: the model.
  @freestanding(expression)
  public macro network<Description: NetworkDescription>(
    maxParameters: Int? = nil, weights: String? = nil, _ describe: () throws -> Description
  ) -> Model = #externalMacro(module: "ForgeMacroPlugin", type: "ModelMacro")

  /// The shape of a tensor, which the compiler also shows as a note.
  ///
  /// ```swift
  /// let image = Input(width: 28, height: 28, channels: 1)
  /// let features = image --> Convolution(kernel: 5, channels: 8, name: "conv1")
  /// print(#shape(of: features))  // note: 28×28×8 (width×height×channels)
  /// ```
  ///
  /// - Parameter tensor: an expression of a tensor. Names in it are those of the same file.
  /// - Returns: the shape; `nil` if a mistake prevents it from being known.
  @freestanding(expression)
  public macro shape(of tensor: Tensor) -> Shape? =
    #externalMacro(module: "ForgeMacroPlugin", type: "ShapeMacro")

  /// The table of a network's layers, which the compiler also shows as a note.
  ///
  /// - Parameter network: an expression of a tensor, an array of tensors or a model.
  /// - Returns: the table, as `Model.summary()` returns it.
  @freestanding(expression)
  public macro summary<Description: NetworkDescription>(_ network: Description) -> String =
    #externalMacro(module: "ForgeMacroPlugin", type: "SummaryMacro")
#endif
