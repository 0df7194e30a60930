import ForgeShapes

// What an executable says about itself, in a compiled file.

extension StateLayout: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(sizes)
    writer.write(isInPlace)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(sizes: try reader.read(), isInPlace: try reader.read())
  }
}

extension PositionLimit: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(state)
    writer.write(table)
    writer.write(count)
    writer.write(capacity)
    writer.write(layer)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      state: try reader.read(), table: try reader.read(), count: try reader.read(),
      capacity: try reader.read(), layer: try reader.read())
  }
}

extension StepReport: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(kernel)
    writer.write(layers)
    writer.write(node)
    writer.write(multiplyAdds)
    writer.write(bytes)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      kernel: try reader.read(), layers: try reader.read(), node: try reader.read(),
      multiplyAdds: try reader.read(), bytes: try reader.read())
  }
}

extension TensorReport: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(description)
    writer.write(offset)
    writer.write(lifetime.lowerBound)
    writer.write(lifetime.upperBound)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (description, offset) = (try reader.read(String.self), try reader.read(Int.self))
    let (first, last) = (try reader.read(Int.self), try reader.read(Int.self))
    guard first <= last else { throw .damaged }
    self.init(description: description, offset: offset, lifetime: first...last)
  }
}

extension CropSlot: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(width)
    writer.write(height)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      name: try reader.read(), width: try reader.read(), height: try reader.read())
  }
}

extension LengthFunction: StoredValue {
  package func write(to writer: inout StoredWriter) {
    for word in words { writer.write(word) }
    writer.write(maximum)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      words: [try reader.read(), try reader.read(), try reader.read()],
      maximum: try reader.read())
  }
}

extension SequenceSizes: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(maximum)
    writer.write(inputs)
    writer.write(outputs)
    writer.write(positions)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      maximum: try reader.read(), inputs: try reader.read(), outputs: try reader.read(),
      positions: try reader.read())
  }
}
