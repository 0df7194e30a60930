import Forge

/// The inputs of a graph, and the constants that the file holds.
extension ONNXGraphImport {
  /// Reads the initializers of the model's graph, and the values that the caller has bound.
  mutating func readConstants() throws(ImportError) {
    var scope = ONNXScope.model(opsets)
    try readInitializers(graph, in: &scope)
    let names = Set(graph.inputs.map(\.name))
    try options.check(against: names, path: path, takesLengths: true)
    made = names.union(graph.initializers.map(\.name))
    for (name, constant) in options.constants { values[name] = .host(HostTensor(constant)) }
  }

  /// Reads the initializers of a graph.
  mutating func readInitializers(
    _ graph: ONNXGraph, in scope: inout ONNXScope
  ) throws(ImportError) {
    for stored in graph.initializers {
      let name = scope.declare(stored.name)
      if !scope.prefix.isEmpty { try declare(name, of: "initializer", stored.name) }
      do {
        values[name] = .host(try stored.host())
      } catch let failure as ONNXTensor.Failure where failure.isUnsupported {
        if let places = classes.add(stored, as: name) {
          values[name] = .host(places)
          continue
        }
        unreadable[name] = UnsupportedNode(
          type: "initializer", detail: failure.text, name: stored.name)
        missing.insert(name)
      } catch {
        try report(error, type: "initializer", name: stored.name)
        missing.insert(name)
      }
    }
    for stored in graph.sparseInitializers {
      unsupported.append(
        UnsupportedNode(type: "sparse initializer", detail: nil, name: stored.name))
      missing.insert(scope.declare(stored.name))
    }
  }

  /// Makes the inputs of the model.
  mutating func readInputs() throws(ImportError) {
    let layouts = ONNXInputLayout(graph)
    var open: [OpenInput] = []
    for info in graph.inputs where values[info.name] == nil && !missing.contains(info.name) {
      guard case .tensor(let element, let shape)? = info.type,
        let type = ElementType(onnx: element)
      else {
        unsupported.append(
          UnsupportedNode(type: "input", detail: Self.text(info.type), name: info.name))
        missing.insert(info.name)
        continue
      }
      if options.sizes[info.name] == nil, let sizes = Self.emptySizes(shape) {
        emptyInputs.append(info.name)
        values[info.name] = .host(HostTensor(type: type, sizes: sizes))
        continue
      }
      guard let sizes = try sizes(of: info.name, shape) else {
        open.append(OpenInput(info, shape, fileBatch: fileBatch))
        continue
      }
      let layout = options.layouts[info.name] ?? layouts.layout(of: info.name, sizes: sizes)
      let stated = options.sizes[info.name] ?? sizes.map { .exactly($0) }
      var input = Input(shape: layout.map { $0.map { stated[$0] } ?? 1 }, name: info.name)
      if type.isWideInteger {
        input = input.ofIntegers
        integerBounds[info.name] = ONNXIntegerBounds.largest - 1
      }
      inputs.append(input)
      ports.append(
        .init(
          name: info.name, elementType: type, sizes: sizes, axes: layout,
          lengthAxes: ImportedModel.Port.lengthAxes(of: input, layout),
          about: info.docString.isEmpty ? nil : info.docString))
      let value = FileTensor(input, sizes: sizes, layout: layout, type: type)
      values[info.name] = .network(value)
      if hasOpenBatch(shape, of: info.name) {
        batch.add(info.name, value, along: 0)
        isBatchStated = isBatchStated || isStated(info.name)
      }
    }
    guard !open.isEmpty else { return }
    // Operators need no sizes, so missing ones are reported with the open sizes.
    for node in graph.nodes { survey(node) }
    throw .openSizes(open, path: path, options, unsupported)
  }

  /// The sizes of an input of which one is 0 and all are stated; `nil` for other inputs.
  private static func emptySizes(_ shape: [ONNXDimension]?) -> [Int]? {
    let dimensions = shape ?? []
    let sizes = dimensions.compactMap(\.size)
    guard sizes.count == dimensions.count, sizes.contains(0), sizes.allSatisfy({ $0 >= 0 }),
      sizes.count <= Shape.maximumRank, Shape.product(of: sizes) != nil
    else { return nil }
    return sizes
  }

  /// Whether the first of several axes counts examples, and the caller states no size but 1 for it.
  private func hasOpenBatch(_ shape: [ONNXDimension]?, of name: String) -> Bool {
    guard OpenInput.hasBatch(shape, fileBatch: fileBatch) else { return false }
    return options.sizes[name].map { $0.first == 1 } ?? true
  }

  /// Whether the caller, and not an assumption, states the sizes of an input.
  private func isStated(_ name: String) -> Bool {
    options.sizes[name] != nil && !options.assumedInputs.contains(name)
  }

  private static func text(_ type: ONNXType?) -> String {
    switch type {
    case .tensor(let element, _)?: "element type \(ONNXTypeName.name(element))"
    case .sequence?: "a sequence"
    case .map?: "a map"
    case .sparseTensor?: "a sparse tensor"
    case .optional?: "an optional"
    case .other?, nil: "no type"
    }
  }

  /// The sizes of an input: those of the options, or of the file with an open batch size of 1;
  /// `nil` if the file leaves others open.
  private func sizes(
    of name: String, _ shape: [ONNXDimension]?
  ) throws(ImportError) -> [Int]? {
    if let sizes = options.largestSizes(of: name) {
      guard sizes.allSatisfy({ $0 >= 1 }), Shape.product(of: sizes) != nil,
        sizes.count <= Shape.maximumRank
      else {
        throw ImportError(
          .unknownSize, "the sizes of input \"\(name)\" are out of range", path: path,
          received: "\(sizes)")
      }
      return sizes
    }
    guard let stated = OpenInput.sizes(shape, fileBatch: fileBatch) else { return nil }
    let sizes = stated.compactMap(\.self)
    guard sizes.count == stated.count, Shape.product(of: sizes) != nil,
      sizes.count <= Shape.maximumRank
    else { return nil }
    return sizes
  }
}
