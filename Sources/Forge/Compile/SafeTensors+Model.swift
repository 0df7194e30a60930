import ForgeGraph
import ForgeLoaders
import ForgeShapes

extension SafeTensors {
  /// Writes the parameters of a model to a file, with the names and shapes of PyTorch.
  ///
  /// ```swift
  /// try SafeTensors.write(model, parameters: HDF5Parameters("net.h5"), to: "net.safetensors")
  /// let network = try model.compile(parameters: SafeTensorsParameters("net.safetensors"))
  /// ```
  /// Weights of dense layers become matrices [outputs][inputs], as in PyTorch. Shared parameters
  /// are written once. 8-bit integers have a scale for each output of a layer:
  /// `conv1.weight_scale`.
  ///
  /// - Parameters:
  ///   - model: the model, whose layers with parameters have names.
  ///   - source: the values.
  ///   - layout: the axis order of the file, to be given to ``SafeTensorsParameters``, too.
  ///   - type: the type of the values in the file.
  ///   - path: the file; an existing file is replaced.
  /// - Throws: ``CompileError`` with every mistake in the model and with every parameter that is
  ///   missing or does not fit, what the source throws while it is prepared, and ``LoadError``
  ///   when the file cannot be written.
  public static func write(
    _ model: Model, parameters source: some ParameterSource, layout: ParameterLayout = .pytorch,
    as type: StoredType = .float32, to path: String
  ) throws {
    let loaded = try model.loaded(from: source)
    try write(
      loaded.map { (spec: $0.spec, data: $0.data) },
      matrices: Set(loaded.filter(\.isOfDense).map(\.spec.layer)), layout: layout, as: type,
      to: path)
  }
}
