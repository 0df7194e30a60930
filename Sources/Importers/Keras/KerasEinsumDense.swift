import Forge

/// Dense layers whose product letters name: `abc,cde->abde`.
enum KerasEinsumDense {
  static let classes: [KerasClass] = [
    .spatial("EinsumDense", build: dense).quantizable
  ]

  /// The letters of the input, the kernel and the output, with the batch, without an ellipsis.
  private struct Formula: Sendable {
    let input, kernel, output: [Character]
    /// Axes that an ellipsis before the letters or behind them stands for.
    let isOpenBefore, isOpenBehind: Bool

    init(_ text: String) throws(KerasFault) {
      let sides = text.filter { !$0.isWhitespace }.split(
        separator: "->", omittingEmptySubsequences: false)
      let terms = sides.first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
      guard sides.count == 2, terms.count == 2 else {
        throw .invalid("the equation of the layer is not valid", received: "\(text.prefix(80))")
      }
      let dots = "..."
      isOpenBefore = terms[0].hasPrefix(dots)
      isOpenBehind = terms[0].hasSuffix(dots) && !isOpenBefore
      let parts = [terms[0], terms[1], sides[1]].map { $0.filter { $0 != "." } }
      guard parts.allSatisfy({ $0.allSatisfy(\.isLetter) && Set($0).count == $0.count }) else {
        throw .unsupported("the equation \"\(text.prefix(80))\"")
      }
      (input, kernel, output) = (Array(parts[0]), Array(parts[1]), Array(parts[2]))
    }

    /// The letters that are summed over, and the new ones of the output.
    var contracted: [Character] { input.filter { kernel.contains($0) && !output.contains($0) } }
    var added: [Character] { output.filter { !input.contains($0) } }

    /// Whether the layer is a dense one on the last axes: these are summed over, and the new ones
    /// take their place.
    var isDense: Bool {
      !isOpenBehind && !contracted.isEmpty && !added.isEmpty && kernel == contracted + added
        && input.suffix(contracted.count) == contracted[...]
        && output == input.dropLast(contracted.count) + added
        && (isOpenBefore || input.count > contracted.count)
    }
  }

  private static func dense(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let formula = try Formula(try layer.config.text("equation", default: ""))
    let biases = Array(try layer.config.text("bias_axes", default: ""))
    let activation = try KerasActivation.stated(by: layer)
    let quantization = try layer.quantization()
    guard biases.allSatisfy({ formula.output.contains($0) }) else {
      throw .invalid("bias_axes are not axes of the output", received: String(biases.prefix(40)))
    }
    if formula.isDense, biases.isEmpty || biases == formula.added {
      // Sizes that stay are open in the description; the new ones are stated.
      let stated = layer.config["output_shape"]
      let sizes = (stated?.array ?? stated.map { [$0] } ?? []).suffix(formula.added.count)
        .compactMap(\.wholeNumber)
      guard sizes.count == formula.added.count, sizes.allSatisfy({ $0 > 0 }),
        let count = Shape.product(of: sizes)
      else { throw .invalid("the description lacks an argument", needs: "output_shape") }
      // Keras stores kernels with lora_rank merged.
      if let quantization {
        let product = try KerasQuantizedProduct(
          dense: layer, quantization, outputs: count, biases: biases.isEmpty ? nil : count,
          activation: activation.function)
        return onLastAxes(formula, product.callAsFunction, sizes).then(activation)
      }
      let neurons = LastAxisDense(
        neurons: count, activation: activation.function, useBias: !biases.isEmpty,
        name: layer.path)
      let step = onLastAxes(
        formula, { call, rows throws(KerasFault) in try call.apply(neurons, to: rows) }, sizes)
      return step.then(activation)
    }
    let step = try general(layer, formula, biases, quantization)
    let function = activation.function
    guard function != .linear else { return step.then(activation) }
    return step.then(.layer { Activation(function, name: $0.name) }, named: "activation")
  }

  /// The dense layer on the last axes as one, which are several again afterwards.
  private static func onLastAxes(
    _ formula: Formula,
    _ dense: @escaping @Sendable (KerasCall, KerasTensor) throws(KerasFault) -> KerasTensor,
    _ added: [Int]
  ) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let inputSizes = try input.knownSizes("known sizes for an EinsumDense")
      let count = formula.contracted.count
      guard count <= inputSizes.count,
        formula.isOpenBefore || formula.input.count == inputSizes.count + 1
      else {
        throw .invalid(
          "the input has a different number of axes than the equation",
          received: "\(inputSizes.count) besides the batch")
      }
      let kept = Array(inputSizes.dropLast(count))
      let width = inputSizes.suffix(count).reduce(1, *)
      let rows = try call.apply(
        input.tensor.reshape(to: (kept.isEmpty ? [1] : kept) + [width]), to: input.tensor)
      let rank = max(kept.count, 1) + 1
      let result = try dense(call, KerasTensor(tensor: rows, rank: rank)).tensor
      let made = kept + added
      let sizes = KerasTensor.forgeSizes(made)
      guard result.shape?.sizes != sizes else {
        return KerasTensor(tensor: result, rank: made.count)
      }
      let reshape = result.reshape(to: sizes, name: "\(call.name)/axes")
      return KerasTensor(tensor: try call.apply(reshape, to: result), rank: made.count)
    }
  }

  /// Any other equation, with a kernel that is read while importing.
  private static func general(
    _ layer: KerasLayer, _ formula: Formula, _ biases: [Character],
    _ quantization: KerasQuantization?
  ) throws(KerasFault) -> KerasStep {
    if let quantization { try check(formula, quantization) }
    let weights = try layer.file.values.all(of: layer)
    func sizes(_ name: String, _ number: Int) throws(KerasFault) -> [Int] {
      guard let found = weights.first(where: { $0.name == name || $0.name == "\(number)" }) else {
        throw .invalid("the file lacks a weight of the layer", needs: name)
      }
      return found.sizes
    }
    let kernel = HostTensor(
      floats: try layer.file.values.floats("kernel", number: 0, of: layer),
      sizes: try sizes("kernel", 0))
    var bias: (sizes: [Int], values: [Float])?
    if !biases.isEmpty {
      bias = (
        try sizes("bias", 1), try layer.file.values.floats("bias", number: 1, of: layer)
      )
    }
    let dots = "..."
    let (before, behind) = (formula.isOpenBefore ? dots : "", formula.isOpenBehind ? dots : "")
    let text =
      "\(before)\(String(formula.input))\(behind),\(String(formula.kernel))"
      + "->\(before)\(String(formula.output))\(behind)"
    var scales: HostTensor?
    if quantization != nil {
      let number = biases.isEmpty ? 1 : 2
      scales = HostTensor(
        floats: try layer.file.values.floats("kernel_scale", number: number, of: layer),
        sizes: try sizes("kernel_scale", number))
    }
    return KerasNodes.step { [bias, scales] nodes in
      let x = FileValue.network(try nodes.first())
      var sum: FileValue
      if let scales {
        sum = try quantizedSum(nodes, text, formula, quantization?.inputs, x, kernel, scales)
      } else {
        sum = try KerasSums.sum(nodes, text, [x, .host(kernel)])
      }
      guard let (sizes, values) = bias else { return sum }
      // As Keras states it: the axes from the first biased one on.
      let rank = sum.sizes.count
      guard sizes.count <= rank else { throw NodeFailure.invalid("a bias of \(sizes)") }
      return try nodes("Add", sum, .host(HostTensor(floats: values, sizes: sizes)))
    }
  }
  /// Refuses what only dense layers on the last axes do.
  private static func check(
    _ formula: Formula, _ quantization: KerasQuantization
  ) throws(KerasFault) {
    guard case .int8 = quantization.weights, !formula.isOpenBefore, !formula.isOpenBehind,
      !formula.contracted.isEmpty
    else {
      throw .unsupported(
        "the dtype policy \"\(quantization.policy.prefix(80))\" with a different equation from "
          + "that of a dense layer on the last axes")
    }
  }

  /// `Σ q · w / (s · d)`, with the integers of the input as numbers in Float32.
  ///
  /// The scales `d` of the kernel have the axes of the result; those of the input get them here.
  private static func quantizedSum(
    _ nodes: KerasNodes, _ text: String, _ formula: Formula, _ quantizer: KerasRowQuantizer?,
    _ x: FileValue, _ kernel: HostTensor, _ scales: HostTensor
  ) throws -> FileValue {
    guard let quantizer else {
      return try nodes("Div", try KerasSums.sum(nodes, text, [x, .host(kernel)]), .host(scales))
    }
    let reduced = formula.input.indices.filter { !formula.output.contains(formula.input[$0]) }
    let (integers, rows) = try quantizer.integers(nodes, x, axes: reduced)
    let sum = try KerasSums.sum(nodes, text, [integers, .host(kernel)])
    let kept = formula.input.filter { formula.output.contains($0) }
    let order = formula.output.compactMap { kept.firstIndex(of: $0) }
    let added = formula.output.indices.filter { !kept.contains(formula.output[$0]) }
    var divisor = try nodes("Squeeze", rows, .integers(reduced))
    divisor = try nodes("Transpose", divisor, with: ["perm": .ints(order)])
    if !added.isEmpty { divisor = try nodes("Unsqueeze", divisor, .integers(added)) }
    return try nodes("Div", sum, try nodes("Mul", divisor, .host(scales)))
  }
}
