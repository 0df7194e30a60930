import ForgeCPU
import ForgeGraph
import ForgeOperations
import ForgeShapes

/// Runs stage 4 of a compile and keeps what a back end needs for any input size.
struct Compiler: Sendable {
  /// Stage 1.
  let inference: Inference
  /// Stage 2, kept for `verify`.
  let lowered: LoweredModel
  /// Stage 3.
  let parameters: ParameterStore
  /// Stage 4: the rewritten operations; kept layers follow the model's own outputs.
  let graph: OperationGraph
  /// What each rewrite did.
  let rewrites: [CompileReport.RewriteCount]
  /// The names of the outputs, followed by those of the kept layers.
  let outputNames: [String]
  /// The tensors that described the outputs and the kept layers.
  let outputTensors: [Tensor]
  /// The positions of kept layers whose results are in the lowered graph.
  let keptPositions: [Int]
  /// The number of outputs that are the model's own.
  let ownOutputCount: Int
  /// The options.
  let options: CompileOptions
  /// The names of tensors that are outputs behind the model's own; see ``TensorNames``.
  let observed: [String]

  /// Runs stage 4 with other options on the results of stages 1 to 3.
  ///
  /// Nothing is kept if tensors are observed.
  init(
    inference: Inference, lowered: LoweredModel, parameters: ParameterStore,
    options: CompileOptions, observed: [String] = []
  ) throws(CompileError) {
    self.inference = inference
    self.lowered = lowered
    var parameters = parameters
    parameters.threads = options.compileThreads.count(usable: Device.usableCores())
    self.parameters = parameters
    self.options = options
    self.observed = observed
    let kept = options.keptLayers(inference)
    outputTensors = inference.outputs.map { inference.nodes[$0].tensor } + kept.map(\.tensor)
    keptPositions = kept.map(\.position).filter { lowered.graph.layerOutputs[$0] != nil }
    let keptValues = keptPositions.compactMap { lowered.graph.layerOutputs[$0] }
    var graph = lowered.graph
    ownOutputCount = graph.modelOutputs.count
    do {
      let disabled = options.disabledRewrites
      var rewrites = try Rewrites.apply(
        Rewrites.onNumbers, to: &graph, constants: parameters, disabled: disabled)
      if !observed.isEmpty {
        try TensorNames(graph, inference).addOutputs(observed, to: &graph)
      }
      if let table = options.quantization {
        rewrites.append(
          try QuantizeByTable(table).apply(
            to: &graph, TensorNames(graph, inference), constants: parameters))
      }
      rewrites += try Rewrites.apply(
        Rewrites.onIntegers, to: &graph, constants: parameters, disabled: disabled)
      graph.removeUnusedNodes()
      self.rewrites = rewrites
      // Kept layers follow the model's outputs, and the states are last.
      let states = graph.outputs.suffix(graph.states.count)
      graph.outputs.removeLast(states.count)
      try KeepOutputs.apply(
        to: &graph, values: keptValues, lowered: lowered.graph, constants: parameters,
        foldsConstants: !options.disabledRewrites.contains(FoldConstants.name))
      graph.outputs += states
    } catch let error as CompileError {
      throw error
    } catch {
      throw CompileError("a constant could not be computed", cause: error, lowered, inference)
    }
    let problems = ConstantOperands.problems(graph, inference: inference)
    guard problems.isEmpty else { throw CompileError(problems) }
    self.graph = graph
    outputNames =
      Self.uniqueNames(inference.outputs.map { inference.nodes[$0].name }) + kept.map(\.name)
      + observed
  }

  /// The problems with the options.
  static func problems(of options: CompileOptions, inference: Inference) -> [Problem] {
    var problems: [Problem] = []
    let check = { (name: String, isValid: Bool, received: String, needs: String) in
      if !isValid { problems.append(.badOption(name, received, needs: needs)) }
    }
    let (batch, size) = (options.maximumBatch, options.planCacheSize)
    check("maximumBatch", (1...(1 << 20)).contains(batch), "\(batch)", "1 to \(1 << 20)")
    check("accuracy", options.accuracy > 0, "\(options.accuracy)", "a number above 0")
    check("planCacheSize", size >= 1, "\(size)", "at least 1")
    let most = CompileOptions.Threads.maximum
    for (name, threads) in [
      ("threads", options.threads), ("compileThreads", options.compileThreads),
    ] {
      let count = threads.given ?? 1
      check(name, (1...most).contains(count), "\(count)", "1 to \(most)")
    }
    if case .samples(let count, _) = options.verify {
      check(
        "verify", (1...1000).contains(count), ShapeError.counted(count, "sample"),
        "1 to 1000 samples")
    }
    if let problem = options.quantization?.problem {
      check("quantization", false, problem.received, problem.needs)
    }
    let unknown = options.disabledRewrites.subtracting(options.rewriteNames).sorted()
    if !unknown.isEmpty {
      problems.append(
        .unknownNames("there are no such rewrites", unknown, known: options.rewriteNames))
    }
    let layers = inference.nodes.filter { !$0.isInput }.map(\.name)
    let missing = options.keep.filter { inference.layer($0) == nil }.map { reference in
      if let tensor = reference as? Tensor, case .layer(let layer) = tensor.source {
        return layer.name ?? "\(type(of: layer))"
      }
      return "\(reference)"
    }
    if !missing.isEmpty {
      problems.append(
        .unknownNames("there are no such layers to keep", missing, known: layers))
    }
    return problems + options.device.problems(of: options)
  }

  /// Makes output names unique by appending a number to duplicates.
  private static func uniqueNames(_ names: [String]) -> [String] {
    var used: Set<String> = []
    // Where the numbers of a name go on, so that many equal names take no quadratic time.
    var numbers: [String: Int] = [:]
    return names.map { name in
      var unique = name
      var number = numbers[name, default: 2]
      while !used.insert(unique).inserted {
        unique = "\(name)_\(number)"
        number += 1
      }
      numbers[name] = number
      return unique
    }
  }

  /// Hands the graph to the back end; `earlier` is a network whose choices are used again.
  func network(
    like earlier: (any BackendNetwork)? = nil
  ) throws(BackendError) -> any BackendNetwork {
    let network = try options.device.network(
      graph, constants: parameters, options: options, like: earlier)
    if earlier == nil { CompileWatch.begin(.plan, of: parameters.specs.count) }
    return network
  }

  /// The executable of a network of this graph for inputs of known sizes.
  func executable(
    of network: any BackendNetwork, inputs: [Shape]
  ) throws(BackendError) -> any Executable {
    try network.executable(for: try bound(inputs: inputs), constants: nil, lengths: lengths)
  }

  /// The executable of this model for other sizes, which shares the constants of the network for
  /// the largest ones.
  func executable(
    sharing largest: any BackendNetwork, inputs: [Shape]
  ) throws(BackendError) -> any Executable {
    try largest.executable(
      for: try bound(inputs: inputs), constants: parameters, lengths: lengths)
  }

  /// The lengths of sequences that an executable serves; `nil` if all sizes are fixed.
  private var lengths: LengthRange? {
    inference.maximumLength.map { maximum in
      LengthRange(maximum: maximum) { length throws(BackendError) in
        try graph(length: length)
      }
    }
  }

  /// The rewritten graph for sequences of another length.
  ///
  /// The stages 2 and 4 run again, so that constants, such as tables of positions, are those of the
  /// length.
  private func graph(length: Int) throws(BackendError) -> OperationGraph {
    do {
      let lowered = try LoweredModel(inference, length: length)
      let own = self.lowered.parameters
      if let index = own.indices.first(where: {
        !lowered.parameters.indices.contains($0) || lowered.parameters[$0] != own[$0]
      }) {
        throw BackendError.lengthNotFollowed(
          by: inference.nodes[self.lowered.owners[index]].position)
      }
      return try Compiler(
        inference: inference, lowered: lowered, parameters: parameters, options: options,
        observed: observed
      ).graph
    } catch let error as CompileError {
      throw .problems(
        error.problems.map { problem in
          var problem = problem
          problem.headline =
            "the network does not follow the length of its sequences: "
            + problem.headline
          return (nil, problem)
        })
    } catch let error as BackendError {
      throw error
    } catch {
      throw .constants(error)
    }
  }

  /// The operations for inputs of known sizes.
  private func bound(inputs: [Shape]) throws(BackendError) -> OperationGraph {
    do throws(OperationGraph.BindingError) { return try graph.binding(inputs: inputs) } catch {
      throw unfit(inputs: inputs) ?? .unfit(error.error, layer: 0)
    }
  }

  /// The first layer that does not fit inputs of these sizes, and the shapes it would receive.
  ///
  /// The search uses the lowered graph, where every operation belongs to one layer.
  private func unfit(inputs: [Shape]) -> BackendError? {
    var shapes = lowered.graph.shapes
    for (value, shape) in zip(lowered.graph.inputs, inputs) { shapes[value.index] = shape }
    for node in lowered.graph.nodes {
      do throws(ShapeError) {
        shapes[node.output.index] = try node.primitive.checkedShape(
          for: node.inputs.map { shapes[$0.index] })
      } catch {
        let received = node.inputs.filter { lowered.graph.constant($0) == nil }
        return .unfit(
          error, layer: node.layers.last ?? 0, received: received.map { shapes[$0.index] })
      }
    }
    return nil
  }
}

extension CompileOptions {
  /// The back end, by default the processor.
  var device: any Backend { backend ?? CPUBackend() }

  /// The layers that are kept.
  func keptLayers(_ inference: Inference) -> [Inference.Node] {
    keep.compactMap { inference.layer($0) }
  }

  /// The names that ``disabledRewrites`` may hold: rewrites of the graph, then of the back end.
  var rewriteNames: [String] { Rewrites.all.map { $0.name } + device.rewriteNames }
}
