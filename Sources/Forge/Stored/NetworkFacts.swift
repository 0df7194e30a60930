import ForgeGraph
import ForgeOperations
import ForgeShapes

/// What a compiled network knows of its model, apart from the plan.
struct NetworkFacts: Sendable {
  /// An input.
  struct Input: Sendable {
    let name: String
    /// The declared shape, in which sizes may be unknown.
    let shape: Shape
    /// Whether it holds integers of 32 or 64 bits.
    let isOfIntegers: Bool
    /// The axes that follow the length of a sequence.
    let lengthAxes: [LengthAxis]
  }

  /// An output, or a layer that is kept.
  struct Output: Sendable {
    let name: String
    let shape: Shape
  }

  /// A layer, as errors name it.
  struct Layer: Sendable {
    let reference: Problem.LayerReference
    let place: SourcePlace?
  }

  let inputs: [Input]
  /// The outputs; kept layers follow.
  let outputs: [Output]
  /// The number of outputs that are the model's own.
  let modelOutputCount: Int
  let stateNames: [String]
  /// The layers in the order of their positions.
  let layers: [Layer]
  /// How the layers are connected and counted.
  let outline: NetworkOutline

  /// The facts of a model; `outputShapes` are the shapes of its outputs if they follow open sizes.
  init(_ compiler: Compiler, outputShapes: [Shape]? = nil) {
    let inference = compiler.inference
    inputs = zip(inference.inputs, inference.openInputShapes).compactMap { index, shape in
      let node = inference.nodes[index]
      return shape.map {
        Input(
          name: node.name, shape: $0, isOfIntegers: node.isOfIntegers,
          lengthAxes: node.lengthAxes)
      }
    }
    let shapes = outputShapes ?? compiler.graph.modelOutputs.map { compiler.graph.shape(of: $0) }
    outputs = zip(compiler.outputNames, shapes).map { Output(name: $0, shape: $1) }
    modelOutputCount = compiler.ownOutputCount
    stateNames = compiler.graph.states.map(\.name)
    layers = Self.layers(of: inference)
    outline = NetworkOutline(inference)
  }

  init(
    inputs: [Input], outputs: [Output], modelOutputCount: Int, stateNames: [String],
    layers: [Layer], outline: NetworkOutline
  ) {
    (self.inputs, self.outputs) = (inputs, outputs)
    self.modelOutputCount = modelOutputCount
    (self.stateNames, self.layers, self.outline) = (stateNames, layers, outline)
  }

  /// The layers of a model.
  static func layers(of inference: Inference) -> [Layer] {
    inference.nodes.filter { !$0.isInput }.map { node in
      Layer(reference: node.reference, place: node.place)
    }
  }

  /// The layer at a position, counted from 1.
  func layer(at position: Int) -> Layer? {
    if layers.indices.contains(position - 1), layers[position - 1].reference.position == position {
      return layers[position - 1]
    }
    return layers.first { $0.reference.position == position }
  }

  /// The names of layers in the order of their positions.
  func layerNames(_ positions: [Int]) -> [String] {
    Set(positions).sorted().compactMap { layer(at: $0)?.reference.name }
  }
}

extension NetworkFacts: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(inputs)
    writer.write(outputs)
    writer.write(modelOutputCount)
    writer.write(stateNames)
    writer.write(layers)
    writer.write(outline)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (inputs, outputs) = (try reader.read(), try reader.read())
    modelOutputCount = try reader.read()
    (stateNames, layers) = (try reader.read(), try reader.read())
    outline = try reader.read()
    guard modelOutputCount >= 0, modelOutputCount <= outputs.count else { throw .damaged }
  }
}

extension NetworkFacts.Input: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(shape)
    writer.write(isOfIntegers)
    writer.write(lengthAxes)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (name, shape) = (try reader.read(), try reader.read())
    (isOfIntegers, lengthAxes) = (try reader.read(), try reader.read())
  }
}

extension NetworkFacts.Output: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(shape)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (name, shape) = (try reader.read(), try reader.read())
  }
}

extension NetworkFacts.Layer: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(reference.position)
    writer.write(reference.name)
    writer.write(reference.typeName)
    writer.write(place)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    reference = Problem.LayerReference(
      position: try reader.read(), name: try reader.read(), typeName: try reader.read())
    place = try reader.read()
  }
}

extension Shape: StoredValue {
  package func write(to writer: inout StoredWriter) { writer.write(dimensions) }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(try reader.read([Int?].self))
  }
}

extension LengthAxis: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(axis)
    writer.write(sizes.first)
    writer.write(sizes.last)
    writer.write(sizes.step)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let axis = try reader.read(Int.self)
    let (first, last, step) = (
      try reader.read(Int.self), try reader.read(Int.self), try reader.read(Int.self)
    )
    guard let sizes = SizeProgression(from: first, through: last, by: step) else {
      throw .damaged
    }
    self.init(axis: axis, sizes: sizes)
  }
}

extension SourcePlace: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(fileID)
    writer.write(line)
    writer.write(column)
    writer.write(entry)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (fileID, line, column) = (
      try reader.read(String.self), try reader.read(Int.self), try reader.read(Int.self)
    )
    self.init(fileID: fileID, line: line, column: column, entry: try reader.read())
  }
}

extension ModelMetadata: StoredValue {
  package func write(to writer: inout StoredWriter) {
    for text in [name, about, author, license, version, producer, exampleMixer] {
      writer.write(text)
    }
    writer.write(values)
    writer.write(labels)
    writer.write(pictures)
    writer.write(interface.count)
    interface.withUnsafeBytes { writer.write(bytes: $0) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(name: try reader.read(), about: try reader.read())
    (author, license, version) = (try reader.read(), try reader.read(), try reader.read())
    (producer, exampleMixer) = (try reader.read(), try reader.read())
    (values, labels) = (try reader.read(), try reader.read())
    pictures = try reader.read()
    interface = Array(try reader.bytes(try reader.count()))
  }
}
