import Forge

/// Files whose inputs have open sizes: they are imported for each combination of sizes that a
/// prediction needs.
extension ImportedModel {
  /// Imports a file, for the largest sizes if the options leave sizes open.
  ///
  /// - Parameters:
  ///   - options: the options; open sizes among them are those of ``InputSize/open(_:_:step:)``.
  ///   - path: the file, for messages.
  ///   - body: imports the file with fixed sizes.
  /// - Returns: the model, which follows its open sizes.
  /// - Throws: ``ImportError``: what `body` throws for the largest sizes, `unknownSize` for sizes
  ///   out of range, and `unsupported` for outputs that hold nothing but sizes.
  static func importing(
    _ options: ImportOptions, path: String?,
    _ body: @escaping @Sendable (ImportOptions) throws(ImportError) -> ImportedModel
  ) throws(ImportError) -> ImportedModel {
    guard options.hasOpenSizes else {
      let imported = try body(options)
      try options.checkLengths(among: imported.inputs.map(\.name), path: path)
      return imported
    }
    try options.checkOpenSizes(path: path)
    var largest = try body(options.choosing(\.last))
    try options.checkOpenInputs(among: largest.inputs.map(\.name), path: path)
    // Sizes of outputs that differ here follow the open ones. A file that does not take these sizes
    // leaves all of them open.
    let middle = try? body(options.choosing(\.middle).ordered(as: largest.inputs))
    if let middle, middle.constants != largest.constants {
      throw ImportError(
        .unsupported, "an output of the file consists only of open sizes", path: path,
        received: largest.constants.filter { !middle.constants.contains($0) }
          .map { "\"\($0.name.printable)\"" }.joined(separator: ", "),
        remedy: "state fixed sizes")
    }
    var axes: [[OpenAxis]] = []
    for (index, port) in largest.inputs.enumerated() {
      let open = try options.openAxes(of: port, path: path)
      axes.append(open)
      largest.inputs[index].lengthAxes = open.compactMap { port.axes[$0.axis] }.sorted()
    }
    for (index, port) in largest.outputs.enumerated() {
      let other = middle.flatMap { $0.outputs.indices.contains(index) ? $0.outputs[index] : nil }
      largest.outputs[index].lengthAxes = port.sizes.indices.filter { axis in
        other?.sizes.indices.contains(axis) != true || other?.sizes[axis] != port.sizes[axis]
      }
    }
    let (inputs, outputs, constants) = (largest.inputs, largest.outputs, largest.constants)
    let middleShapes = middle?.model.inputs.map(\.shape)
    let sizes = OpenSizes(axes: axes, parameters: largest.model.parameters) { shapes in
      // A compile asks for the sizes in the middle, too.
      let known = shapes == middleShapes ? middle : nil
      let sized = try known ?? body(options.fixed(inputs, shapes))
      let misfit = ImportError(
        .unsupported, "the network has different inputs or outputs for these sizes", path: path,
        received: shapes.map(\.description).joined(separator: ", "))
      guard sized.inputs.map(\.name) == inputs.map(\.name),
        sized.inputs.map(\.axes) == inputs.map(\.axes),
        sized.outputs.map(\.name) == outputs.map(\.name), sized.constants == constants
      else { throw misfit }
      var tensors = sized.model.outputs
      for (index, (own, port)) in zip(sized.outputs, outputs).enumerated() {
        guard tensors.indices.contains(index),
          let arranged = tensors[index].arranged(from: own, as: port.axes)
        else { throw misfit }
        tensors[index] = arranged
      }
      return sized.model.with(outputs: tensors)
    }
    largest.model = largest.model.withOpenSizes(sizes)
    return largest
  }
}

extension ImportOptions {
  /// Whether a size is open.
  var hasOpenSizes: Bool {
    sizes.values.contains { $0.contains { $0.openName != nil } }
  }

  /// Checks the ranges of open sizes.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize`.
  fileprivate func checkOpenSizes(path: String?) throws(ImportError) {
    for (name, stated) in sizes.sorted(by: { $0.key < $1.key }) {
      for size in stated {
        try Self.check(size, among: stated, of: name, path: path)
        guard !size.isLength else {
          throw ImportError(
            .unknownSize, "the input \"\(name)\" has both a length and open sizes", path: path,
            received: Self.text(stated), needs: "lengths or open sizes",
            remedy: "state .open instead of .upTo and .stepping")
        }
      }
    }
  }

  /// Checks that every open size is one of an input that predictions have.
  ///
  /// An input of which only the sizes are used is not an input of the network, so its sizes
  /// would be the largest ones whatever a prediction chooses.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize`.
  fileprivate func checkOpenInputs(among inputs: [String], path: String?) throws(ImportError) {
    var known: Set<String> = []
    for name in inputs { known.formUnion(sizes[name]?.compactMap(\.openName) ?? []) }
    for (name, stated) in sizes.sorted(by: { $0.key < $1.key }) where !inputs.contains(name) {
      for size in stated where size.openSizes?.count ?? 1 > 1 {
        guard let open = size.openName, !known.contains(open) else { continue }
        throw onlySizesAreUsed(of: name, path: path)
      }
    }
  }

  /// Checks that a length is one of an input that predictions have.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize`.
  fileprivate func checkLengths(among inputs: [String], path: String?) throws(ImportError) {
    let sequences = sizes.filter { $0.value.contains(where: \.isLength) }.keys.sorted()
    guard let first = sequences.first, !sequences.contains(where: inputs.contains) else { return }
    throw onlySizesAreUsed(of: first, path: path)
  }

  private func onlySizesAreUsed(of input: String, path: String?) -> ImportError {
    ImportError(
      .unknownSize, "only the sizes of input \"\(input.printable)\" are used", path: path,
      received: Self.text(sizes[input] ?? []), needs: "fixed sizes of this input")
  }

  /// The same options with fixed sizes in place of open ones.
  fileprivate func choosing(_ size: (SizeProgression) -> Int) -> ImportOptions {
    var options = self
    options.sizes = sizes.mapValues { stated in
      stated.map { $0.openSizes.map { .exactly(size($0)) } ?? $0 }
    }
    return options
  }

  /// The open axes of an input, in Forge's order.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize` when the network's tensor lacks such an axis.
  fileprivate func openAxes(
    of port: ImportedModel.Port, path: String?
  ) throws(ImportError) -> [OpenAxis] {
    guard let stated = sizes[port.name] else { return [] }
    var axes: [OpenAxis] = []
    for (axis, size) in stated.enumerated() {
      guard let name = size.openName, let sizes = size.openSizes else { continue }
      guard let own = port.axes.firstIndex(of: axis) else {
        throw ImportError(
          .unknownSize, "an open size of input \"\(port.name)\" is not one of the network",
          path: path, received: "\"\(name)\"", needs: "a fixed size, such as 1")
      }
      axes.append(OpenAxis(axis: own, name: name, sizes: sizes))
    }
    return axes
  }

  /// The same options with the order of axes that inputs have.
  fileprivate func ordered(as ports: [ImportedModel.Port]) -> ImportOptions {
    var options = self
    for port in ports { options.layouts[port.name] = port.axes }
    return options
  }

  /// The same options with the sizes that inputs of some shapes have.
  fileprivate func fixed(_ ports: [ImportedModel.Port], _ shapes: [Shape]) -> ImportOptions {
    var options = choosing(\.last).ordered(as: ports)
    for (port, shape) in zip(ports, shapes) {
      for (axis, size) in zip(port.axes, shape.dimensions) {
        if let axis, let size, options.sizes[port.name]?.indices.contains(axis) == true {
          options.sizes[port.name]?[axis] = .exactly(size)
        }
      }
    }
    return options
  }
}

extension Tensor {
  /// The tensor of an output with its axes in another order; `nil` if it has others.
  ///
  /// Axes of size 1 may be missing on either side.
  fileprivate func arranged(from port: ImportedModel.Port, as axes: [Int?]) -> Tensor? {
    guard port.axes != axes else { return self }
    let shared = axes.compactMap(\.self).filter { port.axes.contains($0) }
    let order = shared.compactMap { port.axes.firstIndex(of: $0) }
    let others = port.axes.indices.filter { !order.contains($0) }
    let isOne = { (axis: Int?) in axis.map { port.sizes[$0] == 1 } ?? true }
    guard others.allSatisfy({ isOne(port.axes[$0]) }),
      axes.allSatisfy({ $0.map(shared.contains) == true || isOne($0) })
    else { return nil }
    let permutation = order + others
    let turned =
      permutation == Array(permutation.indices) ? self : self --> Permute(order: permutation)
    return turned --> Reshape(to: axes.map { $0.map { port.sizes[$0] } ?? 1 })
  }
}
