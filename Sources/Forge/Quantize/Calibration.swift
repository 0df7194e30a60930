import ForgeOperations

/// The ranges that samples leave in the tensors of a network of real numbers.
struct Calibration {
  /// The most bytes of tensors that are observed at once.
  private static let mostBytes = 128 << 20

  private let network: CompiledModel
  private let samples: [PredictionInputs]
  private let method: CalibrationMethod

  init(_ network: CompiledModel, _ samples: [PredictionInputs], _ method: CalibrationMethod) {
    (self.network, self.samples, self.method) = (network, samples, method)
  }

  /// The integers of the named tensors of a graph.
  func integers(
    of names: [String], in graph: OperationGraph, _ known: TensorNames
  ) throws(QuantizationError) -> [String: Quantization] {
    var integers: [String: Quantization] = [:]
    for part in parts(names, graph, known) {
      let observer = try observer(of: part)
      var ranges = Array(repeating: ObservedRange(), count: part.count)
      try forEachSample(observer, part.count) { ranges[$0].widen(by: $1) }
      if let wrong = ranges.firstIndex(where: { !$0.isFinite }) {
        throw .notFinite(tensor: part[wrong])
      }
      if method != .minimumAndMaximum {
        try forEachSample(observer, part.count) { ranges[$0].count($1) }
      }
      for (name, range) in zip(part, ranges) { integers[name] = range.quantization(method) }
    }
    return integers
  }

  /// Passes the values of each observed tensor to `body`, with its index, sample by sample.
  private func forEachSample(
    _ observer: CompiledModel, _ count: Int, _ body: (Int, [Float]) -> Void
  ) throws(QuantizationError) {
    for sample in samples {
      let tensors: [TensorValues]
      do throws(PredictionError) { tensors = try observer.predict(sample).tensors } catch {
        throw .prediction(error)
      }
      for (index, tensor) in tensors.suffix(count).enumerated() { body(index, tensor.values) }
    }
  }

  /// The network with the named tensors as outputs.
  private func observer(of names: [String]) throws(QuantizationError) -> CompiledModel {
    do throws(CompileError) {
      return try network.recompiled(observing: names) { options in
        options.maximumBatch = 1
        options.quantization = nil
      }
    } catch {
      throw .compile(error)
    }
  }

  /// The names in parts whose tensors take little memory together.
  private func parts(
    _ names: [String], _ graph: OperationGraph, _ known: TensorNames
  ) -> [[String]] {
    var parts: [[String]] = []
    var bytes = Self.mostBytes
    for name in names {
      let count = known.values[name].flatMap { graph.shape(of: $0).elementCount } ?? 1
      let size = count * MemoryLayout<Float>.stride
      if parts.isEmpty || bytes + size > Self.mostBytes {
        parts.append([])
        bytes = 0
      }
      parts[parts.count - 1].append(name)
      bytes += size
    }
    return parts
  }
}

extension CompiledModel {
  /// The network compiled again from the same parameters with other options, possibly with tensors
  /// as outputs; see ``TensorNames``.
  func recompiled(
    observing names: [String] = [], _ change: (inout CompileOptions) -> Void
  ) throws(CompileError) -> CompiledModel {
    var options = self.options
    options.keep = []
    options.verify = .none
    options.checks = .none
    change(&options)
    let compiler = try origin.compilerOfLayers()
    return try CompiledModel(
      Compiler(
        inference: compiler.inference, lowered: compiler.lowered,
        parameters: compiler.parameters, options: options, observed: names),
      metadata: metadata)
  }
}
