import Forge
import ForgeSystem

/// The inputs and outputs of a network as its model file has them: with this and the network, a
/// program predicts in the language of the file.
///
/// It travels with the metadata of the model, so that compiled files and caches hold it.
package struct FileInterface: Sendable, Hashable {
  /// The inputs in the order of the network.
  package let inputs: [ImportedModel.Port]
  /// The outputs in the order of the network, which may have numbers of rows after them.
  package let outputs: [ImportedModel.Port]
  /// The outputs of the file whose values are known.
  package let constants: [ImportedModel.Constant]
  /// The inputs of the file that no output depends on.
  package let ignoredInputs: [String]
  /// How to read the boxes of a detector of Darknet; empty for other networks.
  package let detections: [DarknetDetection]
  /// The sizes that the import has assumed, as arguments of the tool; `nil` if there are none.
  package let assumedArguments: String?

  /// Describes the tensors of a network that is not from a file.
  package init(inputs: [ImportedModel.Port], outputs: [ImportedModel.Port]) {
    (self.inputs, self.outputs) = (inputs, outputs)
    (constants, ignoredInputs, detections, assumedArguments) = ([], [], [], nil)
  }

  /// Describes a model that was imported.
  package init(_ imported: ImportedModel) {
    (inputs, outputs) = (imported.inputs, imported.outputs)
    (constants, ignoredInputs) = (imported.constants, imported.ignoredInputs)
    (detections, assumedArguments) = (imported.detections, imported.assumedArguments)
  }

  /// Reads what the metadata of a network holds; `nil` if there is nothing that fits it.
  package init?(of network: CompiledModel) {
    guard let read = FileInterface(bytes: network.metadata.interface), read.fits(network) else {
      return nil
    }
    self = read
  }

  /// Reads what ``bytes`` has written; `nil` for other bytes.
  package init?(bytes: [UInt8]) {
    guard !bytes.isEmpty,
      let owner = try? ForgeSystem.StoredBytes(
        count: bytes.count,
        fill: { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) } })
    else { return nil }
    var reader = StoredReader(facts: owner.bytes, memories: [], owner: owner)
    guard let read = try? FileInterface(from: &reader), reader.remaining == 0 else { return nil }
    self = read
  }

  /// What the metadata of the model hold.
  var bytes: [UInt8] {
    var writer = StoredWriter()
    writer.write(self)
    return writer.facts
  }

  private func fits(_ network: CompiledModel) -> Bool {
    func fit(_ ports: [ImportedModel.Port], _ shapes: [Shape]) -> Bool {
      ports.count <= shapes.count && zip(ports, shapes).allSatisfy { $0.axes.count == $1.rank }
    }
    return inputs.count == network.inputShapes.count && fit(inputs, network.inputShapes)
      && fit(outputs, network.outputShapes)
  }
}

// Nothing that is read here can lead to an index or a number out of range.

extension FileInterface: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(inputs)
    writer.write(outputs)
    writer.write(constants)
    writer.write(ignoredInputs)
    writer.write(detections)
    writer.write(assumedArguments)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    (inputs, outputs) = (try reader.read(), try reader.read())
    (constants, ignoredInputs) = (try reader.read(), try reader.read())
    (detections, assumedArguments) = (try reader.read(), try reader.read())
  }
}

extension ImportedModel.Port: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(elementType.rawValue)
    writer.write(sizes)
    writer.write(axes)
    writer.write(lengthAxes)
    writer.write(batchSize)
    switch examples {
    case nil: writer.write([Int]())
    case .shared: writer.write([-1])
    case .along(let axis): writer.write([axis])
    }
    writer.write(rows)
    writer.write(about)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let name = try reader.read(String.self)
    let elementType = ElementType(rawValue: try reader.read())
    let sizes = try reader.read([Int].self)
    let axes = try reader.read([Int?].self)
    let lengthAxes = try reader.read([Int].self)
    let batchSize = try reader.read(Int?.self)
    let examples = try reader.read([Int].self)
    let rows = try reader.read(Rows?.self)
    let own = axes.compactMap(\.self)
    let named = own + lengthAxes + examples.filter { $0 != -1 } + (rows.map { [$0.axis] } ?? [])
    guard let elementType, Shape.product(of: sizes.map { max($0, 1) }) != nil,
      sizes.allSatisfy({ $0 >= -1 }), named.allSatisfy(sizes.indices.contains),
      Set(own).count == own.count, batchSize ?? 1 >= 1, examples.count <= 1
    else { throw .damaged }
    self.init(
      name: name, elementType: elementType, sizes: sizes, axes: axes, lengthAxes: lengthAxes,
      about: try reader.read())
    self.batchSize = batchSize
    self.examples = examples.first.map { $0 == -1 ? .shared : .along($0) }
    self.rows = rows
  }
}

extension ImportedModel.Port.Rows: StoredValue {
  /// The most entries of an axis for one row.
  private static let mostEntries = 1 << 20

  package func write(to writer: inout StoredWriter) {
    writer.write(axis)
    writer.write(countName)
    writer.write(entries)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      axis: try reader.read(), countName: try reader.read(), entries: try reader.read())
    guard (0...Self.mostEntries).contains(entries) else { throw .damaged }
  }
}

extension ImportedModel.Constant: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(values.elementType.rawValue)
    writer.write(values.sizes)
    writer.write(values.bytes.count)
    values.bytes.withUnsafeBytes { writer.write(bytes: $0) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (name, type) = (try reader.read(String.self), try reader.read(String.self))
    let sizes = try reader.read([Int].self)
    let bytes = Array(try reader.bytes(try reader.count()))
    guard let elementType = ElementType(rawValue: type), sizes.allSatisfy({ $0 >= 0 }),
      let values = try? StoredTensor(elementType: elementType, sizes: sizes, bytes: bytes)
    else { throw .damaged }
    self.init(name: name, values: values)
  }
}

extension DarknetDetection: StoredValue {
  /// The most classes and anchors of a layer.
  private static let most = 1 << 20

  package func write(to writer: inout StoredWriter) {
    writer.write(output)
    writer.write(kind.rawValue)
    writer.write(anchors.flatMap { [$0.width.bitPattern, $0.height.bitPattern] })
    writer.write(mask)
    writer.write([classes, inputSize.width, inputSize.height])
    writer.write(scaleXY.bitPattern)
    writer.write(usesSoftmax)
    writer.write(usesNewCoordinates)
    writer.write(point.rawValue)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let output = try reader.read(String.self)
    let kind = Kind(rawValue: try reader.read())
    let bits = try reader.read([UInt32].self)
    let mask = try reader.read([Int].self)
    let numbers = try reader.read([Int].self)
    let scaleXY = Float(bitPattern: try reader.read())
    let (softmax, new) = (try reader.read(Bool.self), try reader.read(Bool.self))
    let point = Point(rawValue: try reader.read())
    guard let kind, let point, bits.count.isMultiple(of: 2), bits.count <= 2 * Self.most,
      numbers.count == 3, numbers.allSatisfy({ (0...Self.most).contains($0) })
    else { throw .damaged }
    self.init(
      output: output, kind: kind,
      anchors: stride(from: 0, to: bits.count, by: 2).map {
        Anchor(width: Float(bitPattern: bits[$0]), height: Float(bitPattern: bits[$0 + 1]))
      },
      mask: mask, classes: numbers[0], scaleXY: scaleXY, usesSoftmax: softmax,
      usesNewCoordinates: new, point: point,
      inputSize: Size(width: numbers[1], height: numbers[2]))
  }
}
