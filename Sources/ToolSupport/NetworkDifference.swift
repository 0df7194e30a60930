import Forge
import ForgeImporters

/// How the results of the layers of two networks differ for the same input.
package struct NetworkDifference: Sendable {
  /// A layer that both networks have.
  package struct Row: Sendable, Encodable {
    /// The name in the first network.
    package let layer: String
    /// The name in the second network, if it differs.
    package let other: String?
    /// The shape in the first network.
    package let shape: String
    /// The shape in the second network, if it has a different number of elements.
    package let otherShape: String?
    /// The largest difference of two elements; `nil` for shapes that cannot be compared.
    package let maximum: Double?
    /// ‖a − b‖₂ / ‖a‖₂; `nil` for shapes that cannot be compared.
    package let relativeL2: Double?
    /// Whether it is an output of the networks.
    package let isOutput: Bool
  }

  /// One network with the results of all its layers.
  package struct Side: Sendable {
    /// The precision of the plan: Float32 if the processor does not have the requested one.
    package let precision: CompileOptions.Precision
    fileprivate let layers: [(name: String, values: TensorValues)]
    fileprivate let outputs: [(name: String, values: TensorValues)]

    /// Predicts one example with every layer kept.
    package init(
      _ imported: ImportedModel, options: CompileOptions,
      parameters: any ParameterSource, given: [String: NetworkRun.Given]
    ) throws {
      let nodes = Inference(imported.model).nodes.filter { !$0.isInput }
      var options = options
      options.keep = nodes.map(\.tensor)
      let network = try imported.model.compile(parameters: parameters, options: options)
      precision = network.report.precision
      let run = NetworkRun(imported) { network }
      guard let example = try run.examples(given).first else {
        layers = []
        outputs = []
        return
      }
      let predictions = try network.predict(example)
      layers = nodes.compactMap { node in predictions[node.tensor].map { (node.name, $0) } }
      outputs = network.outputNames.prefix(imported.outputs.count).compactMap { name in
        predictions[name].map { (name, $0) }
      }
    }

    /// Creates a side from results that are known.
    package init(
      layers: [(name: String, values: TensorValues)],
      outputs: [(name: String, values: TensorValues)]
    ) {
      precision = .float32
      self.layers = layers
      self.outputs = outputs
    }
  }

  /// The layers of both networks in the order of the first, then the outputs by position.
  package let rows: [Row]
  /// The names of layers that only the first network has.
  package let onlyFirst: [String]
  /// The names of layers that only the second network has.
  package let onlySecond: [String]

  /// Compares two networks; layers are matched by name.
  package init(_ first: Side, _ second: Side) {
    var exact: [String: Int] = [:]
    var plain: [String: Int] = [:]
    for (index, layer) in second.layers.enumerated() {
      exact[layer.name] = exact[layer.name] ?? index
      plain[Self.plain(layer.name)] = plain[Self.plain(layer.name)] ?? index
    }
    var rows: [Row] = []
    var used: Set<Int> = []
    var onlyFirst: [String] = []
    for layer in first.layers {
      let match = exact[layer.name] ?? plain[Self.plain(layer.name)]
      guard let match, used.insert(match).inserted else {
        onlyFirst.append(layer.name)
        continue
      }
      rows.append(Self.row(layer, second.layers[match], isOutput: false))
    }
    rows += zip(first.outputs, second.outputs).map { Self.row($0, $1, isOutput: true) }
    self.rows = rows
    self.onlyFirst = onlyFirst
    onlySecond = second.layers.indices.filter { !used.contains($0) }.map { second.layers[$0].name }
  }

  /// A name without what programs add or replace: case, separators and the number of an output.
  private static func plain(_ name: String) -> String {
    let stem = name.hasSuffix(":0") ? String(name.dropLast(2)) : name
    return stem.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static func row(
    _ a: (name: String, values: TensorValues), _ b: (name: String, values: TensorValues),
    isOutput: Bool
  ) -> Row {
    var (squares, norm, maximum) = (0.0, 0.0, 0.0)
    let isComparable = squeezed(a.values.shape) == squeezed(b.values.shape)
    if isComparable {
      for (x, y) in zip(a.values.values, b.values.values) where x != y {
        let difference = Double(x) - Double(y)
        squares += difference * difference
        // A NaN is the largest difference and is never replaced.
        if !(abs(difference) <= maximum) { maximum = abs(difference) }
      }
      norm = a.values.values.reduce(0) { $0 + Double($1) * Double($1) }
    }
    let relative = norm > 0 ? (squares / norm).squareRoot() : squares.squareRoot()
    return Row(
      layer: a.name, other: a.name == b.name ? nil : b.name,
      shape: NetworkGraph.text(a.values.shape),
      otherShape: isComparable ? nil : NetworkGraph.text(b.values.shape),
      maximum: isComparable ? maximum : nil, relativeL2: isComparable ? relative : nil,
      isOutput: isOutput)
  }

  private static func squeezed(_ shape: Shape) -> [Int?] { shape.dimensions.filter { $0 != 1 } }

  /// The largest relative difference of an output; infinite where shapes differ.
  package var worstOutput: Double {
    rows.filter(\.isOutput).map { $0.relativeL2 ?? .infinity }.max { a, b in
      a.isNaN ? false : b.isNaN || a < b
    } ?? 0
  }
}
