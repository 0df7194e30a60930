#if HDF5
  import ForgeGraph
  import ForgeLoaders
  import ForgeShapes

  extension HDF5Weights {
    /// Writes the parameters of a model to a weight file that Keras loads.
    ///
    /// ```swift
    /// try HDF5Weights.write(model, parameters: SafeTensorsParameters("net.safetensors"), to:
    /// "net.h5")
    /// ```
    /// Weights of dense layers become matrices [inputs][outputs], as in Keras; all other parameters
    /// have Keras's axis order. Shared parameters are written once. Values are single precision.
    ///
    /// - Parameters:
    ///   - model: the model, whose layers with parameters have names.
    ///   - source: the values.
    ///   - path: the file; one that is there is replaced.
    /// - Throws: `CompileError` with every mistake in the model and with every parameter that is
    ///   missing or does not fit, what the source throws while it is prepared, and ``LoadError``
    ///   when the file cannot be written.
    public static func write(
      _ model: Model, parameters source: some ParameterSource, to path: String
    ) throws {
      let inference = Inference(model)
      guard inference.problems.isEmpty else { throw CompileError(inference.problems) }
      let lowered = try LoweredModel(inference)
      let prepared = try source.prepared(for: lowered.parameters)
      let store = try LoadStage.load(
        lowered, inference: inference, goesByName: source.goesByName,
        names: { source.availableNames }, ask: { try prepared.parameter(for: $0) })
      let dense = lowered.graph.nodes.compactMap { node -> String? in
        guard case .dense = node.primitive,
          case .parameter(let index) = lowered.graph.constant(node.inputs[1])
        else { return nil }
        return lowered.parameters[index].layer
      }
      try write(
        zip(store.specs, store.data).map { (spec: $0, data: $1) }, matrices: Set(dense), to: path)
    }
  }
#endif
