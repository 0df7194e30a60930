import ForgeOperations

/// Finds the products of a network that compute with integers faster and near enough.
///
/// First every product is chosen and timed, and each alone shows how far it makes the outputs
/// stray. Errors of products add up like those of independent numbers, by their squares. So the
/// products are left out in the order of the square of their error for each second that they save,
/// as few as the bound needs. Those that save nothing come first. The fastest network that was met
/// is the result.
struct QuantizationSearch {
  private let network: CompiledModel
  private let samples: [PredictionInputs]
  private let bound: Double
  private let choice: QuantizationChoice
  private let products: [(name: String, node: OperationGraph.Node)]
  private let integers: [String: Quantization]
  /// The outputs of the network of real numbers for each sample.
  private let expected: [Predictions]

  /// A network of integers.
  private struct Candidate {
    let network: CompiledModel
    let table: QuantizationTable
    let error: Double
  }

  init(
    _ network: CompiledModel, _ samples: [PredictionInputs], bound: Double,
    _ method: CalibrationMethod
  ) throws(QuantizationError) {
    guard !samples.isEmpty else { throw .noSamples }
    guard bound > 0, bound.isFinite else {
      throw .wrongArgument("bound", received: "\(bound)", needs: "a finite number above 0")
    }
    if let problem = method.problem {
      throw .wrongArgument("method", received: problem.received, needs: problem.needs)
    }
    (self.network, self.samples, self.bound) = (network, samples, bound)
    let (graph, names): (OperationGraph, TensorNames)
    do throws(CompileError) {
      let compiler = try network.origin.compilerOfLayers()
      (graph, names) = try compiler.graphOnNumbers()
    } catch {
      throw .compile(error)
    }
    choice = QuantizationChoice(graph, names)
    products = choice.products
    integers = try Calibration(network, samples, method).integers(
      of: choice.tensors, in: graph, names)
    expected = try Self.predictions(network, samples)
  }

  /// Searches.
  ///
  /// - Parameter onlyFaster: whether products that take no less time on integers are left out.
  /// - Returns: the fastest network within the bound.
  /// - Throws: ``QuantizationError``.
  func result(onlyFaster: Bool) throws(QuantizationError) -> QuantizedNetwork {
    let errors = try errors()
    let all = try candidate(Set(products.map(\.name)))
    let seconds = try secondsByProduct(network)
    let quantized = try secondsByProduct(all.network)
    let gains = products.map { name, _ in
      guard let before = seconds?[name], let after = quantized?[name] else { return 1.0 }
      return before - after
    }
    let costs = zip(products, gains).map { product, gain in
      let error = errors[product.name] ?? 0
      return gain > 0 ? error * error / gain : onlyFaster ? .infinity : error * error
    }
    let order = products.indices.sorted { (costs[$0], $1) > (costs[$1], $0) }
      .map { products[$0].name }
    var best = try fitting(all, leavingOutFrom: order)
    let real = try timed(network)
    var time = try timed(best.network)
    if onlyFaster {
      let slow = gains.count { $0 <= 0 }
      if slow > order.count - best.table.products.count {
        let fewer = try candidate(Set(order.dropFirst(slow)))
        let fewerTime = try timed(fewer.network)
        if fewer.error <= bound, fewerTime < time { (best, time) = (fewer, fewerTime) }
      }
      if time >= real { (best, time) = (try candidate([]), real) }
    }
    return QuantizedNetwork(
      network: best.network, table: best.table,
      layers: products.map { name, _ in
        QuantizedNetwork.Layer(
          name: name, isQuantized: best.table.products.contains(name),
          error: errors[name] ?? 0, seconds: seconds?[name], quantizedSeconds: quantized?[name])
      },
      error: best.error, bound: bound, realSeconds: real, seconds: time)
  }

  /// The network of the most products whose outputs stay within the bound, found by halving.
  private func fitting(
    _ all: Candidate, leavingOutFrom order: [String]
  ) throws(QuantizationError) -> Candidate {
    if all.error <= bound { return all }
    var (tooFew, enough) = (0, order.count)
    var found = try candidate([])
    while enough - tooFew > 1 {
      let middle = (tooFew + enough) / 2
      let next = try candidate(Set(order.dropFirst(middle)))
      if next.error <= bound { (enough, found) = (middle, next) } else { tooFew = middle }
    }
    return found
  }

  // MARK: Candidates

  /// The error of the outputs when each product alone computes with integers.
  private func errors() throws(QuantizationError) -> [String: Double] {
    var errors: [String: Double] = [:]
    for (name, _) in products { errors[name] = try candidate([name]).error }
    return errors
  }

  private func candidate(_ names: Set<String>) throws(QuantizationError) -> Candidate {
    guard !names.isEmpty else {
      return Candidate(network: network, table: QuantizationTable(), error: 0)
    }
    let table = choice.table(integers, products: names)
    let made: CompiledModel
    do throws(CompileError) {
      made = try network.recompiled { $0.quantization = table }
    } catch {
      throw .compile(error)
    }
    return Candidate(
      network: made, table: table,
      error: Self.error(try Self.predictions(made, samples), expected))
  }

  private static func predictions(
    _ network: CompiledModel, _ samples: [PredictionInputs]
  ) throws(QuantizationError) -> [Predictions] {
    var predictions: [Predictions] = []
    do throws(PredictionError) {
      for sample in samples { predictions.append(try network.predict(sample)) }
    } catch {
      throw .prediction(error)
    }
    return predictions
  }

  /// ‖made − expected‖₂ / ‖expected‖₂ over all samples, of the output where it is largest.
  private static func error(_ made: [Predictions], _ expected: [Predictions]) -> Double {
    var worst = 0.0
    for output in 0..<(expected.first?.table.modelCount ?? 0) {
      var (difference, size) = (0.0, 0.0)
      for (made, expected) in zip(made, expected) {
        for (a, b) in zip(made.tensors[output].values, expected.tensors[output].values) {
          difference += (Double(a) - Double(b)) * (Double(a) - Double(b))
          size += Double(b) * Double(b)
        }
      }
      let error = difference == 0 ? 0 : (difference / size).squareRoot()
      if error.isNaN { return .infinity }
      worst = max(worst, error)
    }
    return worst
  }

  // MARK: Time

  /// The least seconds of some predictions of the first sample.
  private func timed(_ network: CompiledModel) throws(QuantizationError) -> Double {
    let clock = ContinuousClock()
    var least = Double.infinity
    do throws(PredictionError) {
      for _ in 0..<10 {
        let begin = clock.now
        _ = try network.predict(samples[0])
        least = min(least, (clock.now - begin) / .seconds(1))
      }
    } catch {
      throw .prediction(error)
    }
    return least
  }

  /// The seconds of the steps of each product; `nil` when the sizes of inputs are not known.
  private func secondsByProduct(
    _ network: CompiledModel
  ) throws(QuantizationError) -> [String: Double]? {
    guard network.inputShapes.allSatisfy(\.isKnown) else { return nil }
    let profile: [StepProfile]
    do throws(PredictionError) { profile = try network.profile(runs: 5) } catch {
      throw .prediction(error)
    }
    var seconds: [String: Double] = [:]
    for (name, node) in products {
      guard let layer = node.layers.first.flatMap({ network.facts.layer(at: $0)?.reference.name })
      else { continue }
      seconds[name] = profile.reduce(0) { $0 + ($1.layers.contains(layer) ? $1.seconds : 0) }
    }
    return seconds
  }
}

extension Compiler {
  /// The graph that a ``QuantizationTable`` is applied to, and the names of its tensors.
  func graphOnNumbers() throws(CompileError) -> (OperationGraph, TensorNames) {
    var graph = lowered.graph
    do {
      _ = try Rewrites.apply(
        Rewrites.onNumbers, to: &graph, constants: parameters,
        disabled: options.disabledRewrites)
    } catch {
      throw CompileError("a constant could not be computed", cause: error, lowered, inference)
    }
    graph.removeUnusedNodes()
    return (graph, TensorNames(graph, inference))
  }
}
