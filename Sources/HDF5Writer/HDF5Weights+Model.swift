import Forge
import ForgeShapes

extension HDF5Weights {
  /// Writes the parameters of a model to a weight file that Keras loads.
  ///
  /// ```swift
  /// try HDF5Weights.write(
  ///   model, parameters: SafeTensorsParameters("net.safetensors"), to: "net.h5")
  /// ```
  /// Weights of dense layers become matrices [inputs][outputs], as in Keras; all other parameters
  /// have Keras's axis order. Shared parameters are written once.
  ///
  /// - Parameters:
  ///   - model: the model, whose layers with parameters have names.
  ///   - source: the values.
  ///   - type: the type of the values in the file: single or half precision.
  ///   - path: the file; an existing file is replaced.
  /// - Throws: `CompileError` with every mistake in the model and with every parameter that is
  ///   missing or does not fit, what the source throws while it is prepared, and ``LoadError``
  ///   when the file cannot be written.
  public static func write(
    _ model: Model, parameters source: some ParameterSource, as type: StoredType = .float32,
    to path: String
  ) throws {
    let loaded = try model.loaded(from: source)
    try write(
      loaded.map { (spec: $0.spec, data: $0.data) },
      matrices: Set(loaded.filter(\.isOfDense).map(\.spec.layer)), as: type, to: path)
  }
}
