import ForgeOperations
import ForgeShapes

/// The inputs of one prediction after they have passed all checks.
struct CheckedInputs {
  /// The executable for their sizes.
  let executable: any Executable
  /// The values of each input, in the order of the model.
  let values: [[Float]]
  /// The length of the sequences in the inputs; `nil` if all sizes are fixed.
  let length: Int?
  /// The part of its source that a resize samples, by the layer's name.
  let crops: [String: CropRectangle]
}

extension CompiledModel {
  /// Checks the inputs of one prediction and finds the executable for their sizes.
  ///
  /// `isSingle` says whether the caller takes only one output. `sizes` are those of a context, in
  /// which inputs without sizes have them and other inputs must.
  func checked(
    _ inputs: PredictionInputs, isSingle: Bool = false, sizes: [[Int]]? = nil
  ) throws(PredictionError) -> CheckedInputs {
    if isSingle { try checkSingleOutput() }
    let entries = try ordered(inputs.entries)
    try checkIntegers(entries)
    let length = try length(of: entries.map { ($0.shape, $0.values.count) })
    var shapes: [Shape] = []
    for (index, entry) in entries.enumerated() {
      // The executable of a network for sequences serves all lengths.
      if let length, let sequenceLength, !sequenceLength.axes[index].isEmpty {
        shapes.append(sequenceLength.shape(ofInput: index, length: length))
        continue
      }
      let own = sizes.map { Shape(sizes: $0[index]) }
      let counted = openSizes?.shape(
        ofInput: index, inputShapes[index], count: entry.values.count)
      let shape = try shape(ofInput: index, given: entry.shape ?? own ?? counted)
      if let own, shape != own {
        throw .wrongShape(inputNames[index], received: shape, needs: own)
      }
      shapes.append(shape)
    }
    let executable = try executable(for: shapes)
    for (index, entry) in entries.enumerated() {
      try check(
        count: entry.values.count, input: index, sizes: shapes[index].sizes ?? [], batch: 1)
    }
    for (layer, crop) in inputs.crops { try executable.check(crop, of: layer) }
    return CheckedInputs(
      executable: executable, values: entries.map(\.values), length: length,
      crops: inputs.crops)
  }

  /// The values of each input, in the order of the model.
  private func ordered(
    _ entries: [PredictionInputs.Entry]
  ) throws(PredictionError) -> [PredictionInputs.Entry] {
    var found: [PredictionInputs.Entry?] = Array(repeating: nil, count: inputNames.count)
    var unknown: [any TensorReference] = []
    for entry in entries {
      guard let input = entry.input else {
        try checkSingleInput()
        return [entry]
      }
      if let index = inputTable.index(of: input) {
        found[index] = entry
      } else {
        unknown.append(input)
      }
    }
    // A dictionary has no order; the error names the first by name.
    if let first = unknown.min(by: { "\($0)" < "\($1)" }) { _ = try index(ofInput: first) }
    if let missing = found.firstIndex(where: { $0 == nil }) {
      throw .missingInput(inputNames[missing], inputShapes[missing])
    }
    return found.compactMap(\.self)
  }

  /// The index of an input.
  func index(ofInput input: some TensorReference) throws(PredictionError) -> Int {
    guard let index = inputTable.index(of: input) else {
      throw .unknownTensor(input, what: "input", known: inputNames)
    }
    return index
  }

  /// The index of an output or of a kept layer.
  func index(ofOutput output: some TensorReference) throws(PredictionError) -> Int {
    guard let index = outputTable.index(of: output) else {
      throw .unknownTensor(output, what: "output or kept layer", known: outputNames)
    }
    return index
  }

  /// The position of a state.
  func index(ofState name: String) throws(PredictionError) -> Int {
    let names = stateNames
    guard let index = names.firstIndex(of: name) else {
      throw .unknownName(name, what: "state", known: names)
    }
    return index
  }

  /// The shape of an input, given its sizes in one prediction.
  func shape(ofInput index: Int, given: Shape?) throws(PredictionError) -> Shape {
    let (name, declared) = (inputNames[index], inputShapes[index])
    guard let given else {
      guard declared.isKnown else { throw .sizeNeeded(name, declared) }
      return declared
    }
    guard given.isKnown, declared.admits(given)
    else { throw .wrongShape(name, received: given, needs: declared) }
    // The range that also bounds the declared sizes of an Input.
    let range = 1...ConvolutionGeometry.maximumArgument
    guard given.dimensions.allSatisfy({ range.contains($0 ?? 0) }), given.elementCount != nil
    else { throw .sizeOutOfRange(name, received: given, needs: declared, range: range) }
    return given
  }

  /// The shapes of all inputs; those that take any size are looked up in `named`.
  func shapes(named: [String: Shape]) throws(PredictionError) -> [Shape] {
    if let unknown = named.keys.filter({ !inputNames.contains($0) }).min() {
      throw .unknownName(unknown, what: "input", known: inputNames)
    }
    var shapes: [Shape] = []
    for (index, name) in inputNames.enumerated() {
      shapes.append(try shape(ofInput: index, given: named[name]))
    }
    return shapes
  }

  /// Checks that the model has one input.
  func checkSingleInput() throws(PredictionError) {
    guard inputNames.count == 1 else { throw .inputCount(inputNames) }
  }

  /// Checks that the model has one output besides kept layers.
  func checkSingleOutput() throws(PredictionError) {
    guard outputTable.modelCount == 1 else {
      throw .outputCount(Array(outputNames.prefix(outputTable.modelCount)), inputs: inputNames)
    }
  }

  /// Checks that a form of input returns every output of the model.
  func checkOutput<Input: PredictionInput>(of form: Input.Type) throws(PredictionError) {
    if Input.Output.isSingle { try checkSingleOutput() }
  }

  /// Checks the number of examples.
  func check(batch: Int) throws(PredictionError) {
    guard (1...maximumBatch).contains(batch) else {
      throw .wrongBatch(
        batch, maximum: maximumBatch, remedy: "compile(options: .init(maximumBatch: …))")
    }
    try checkIndependence(of: batch)
  }

  /// Checks that several examples do not influence each other in the file that the model is from.
  func checkIndependence(of examples: Int) throws(PredictionError) {
    guard examples > 1, let node = metadata.exampleMixer else { return }
    throw .mixedExamples(examples, node: node)
  }

  /// Checks the number of values for an input.
  func check(
    count: Int, input: Int, sizes: [Int], batch: Int
  ) throws(PredictionError) {
    let needed = sizes.reduce(1, *) * batch
    guard count == needed else {
      throw .wrongValueCount(
        count, input: inputNames[input], needs: needed, shape: Shape(sizes: sizes), batch: batch)
    }
  }
}

extension PredictionMemory {
  /// Writes the inputs and sets their crops for the first example.
  func write(_ inputs: CheckedInputs) throws(PredictionError) {
    if let length = inputs.length { set(length: length) }
    for (index, values) in inputs.values.enumerated() {
      _ = input(index).update(fromContentsOf: values)
    }
    for (layer, crop) in inputs.crops { try self.crop(layer, to: crop) }
  }
}

extension Executable {
  /// Checks that a layer can be cropped to a rectangle.
  func check(_ crop: CropRectangle, of layer: String) throws(PredictionError) {
    let slots = cropSlots.filter { $0.name == layer }
    guard !slots.isEmpty else {
      throw .unknownName(layer, what: "Resize layer", known: cropSlots.map(\.name))
    }
    for slot in slots where !crop.fits(width: slot.width, height: slot.height) {
      throw .wrongCrop(layer, crop, width: slot.width, height: slot.height)
    }
  }
}
