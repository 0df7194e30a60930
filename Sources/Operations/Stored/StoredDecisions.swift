// The decisions of a back end in a compiled file.

extension BackendDecisions: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(instructionSet)
    writer.write(threads)
    writer.write(precision.rawValue)
    writer.write(tuning)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (set, threads) = (try reader.read(String.self), try reader.read(Int.self))
    guard let precision = CompileOptions.Precision(rawValue: try reader.read()) else {
      throw .damaged
    }
    self.init(
      instructionSet: set, threads: threads, precision: precision, tuning: try reader.read())
  }
}

extension TuningReport: StoredValue {
  /// Times are not written: they are those of another process.
  package func write(to writer: inout StoredWriter) {
    writer.write(way.rawValue)
    writer.write(record)
    writer.write(fallbacks)
    writer.write(differences)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    guard let way = Way(rawValue: try reader.read()) else { throw .damaged }
    self.init(
      way: way, record: try reader.read(), fallbacks: try reader.read(),
      differences: try reader.read())
  }
}

extension TuningRecord: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(version)
    writer.write(instructionSet)
    writer.write(threads)
    writer.write(choices)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (version, set) = (try reader.read(Int.self), try reader.read(String.self))
    self.init(
      instructionSet: set, threads: try reader.read(), choices: try reader.read(),
      version: version)
  }
}

extension TuningRecord.Choice: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(convolution)
    writer.write(kernel)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(convolution: try reader.read(), kernel: try reader.read())
  }
}

extension TuningRecord.Convolution: StoredValue {
  package func write(to writer: inout StoredWriter) {
    for text in [input, output, kernel, stride] { writer.write(text) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      input: try reader.read(), output: try reader.read(), kernel: try reader.read(),
      stride: try reader.read())
  }
}

extension TuningRecord.Kernel: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(panelWidth)
    writer.write(tile)
    writer.write(summedChannels)
    writer.write(segments)
    writer.write(levels)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      name: try reader.read(), panelWidth: try reader.read(), tile: try reader.read(),
      summedChannels: try reader.read(), segments: try reader.read(), levels: try reader.read())
  }
}
