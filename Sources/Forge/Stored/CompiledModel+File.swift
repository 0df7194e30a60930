import ForgeCPU
import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension CompiledModel {
  /// Writes the network to a compiled file, from which a process predicts at once.
  ///
  /// ```swift
  /// try network.write(to: "net.forge")
  /// let same = try CompiledModel(contentsOf: "net.forge")
  /// ```
  /// The file holds the plan and the packed parameters, not the layers: it belongs to this version
  /// of Forge and to processors of the same instruction set. Results are bit-identical. An existing
  /// file is replaced in one step. The network is planned once more to write it.
  ///
  /// - Parameter path: the file.
  /// - Throws: `CompileError` when an input has no size, when a layer runs Swift code, and when the
  ///   file cannot be written.
  public func write(to path: String) throws(CompileError) {
    do {
      try CompiledFile.write(try origin.entry.map(content(of:)) ?? stored(), to: path)
    } catch {
      throw .file(path, error, "the compiled file could not be written")
    }
  }

  /// What a compiled file holds; an entry of a cache names its key.
  func stored(key: String = "") throws(CompileError) -> StoredWriter {
    guard let compiler = origin.compiler else { throw .storedAlready }
    guard let fixedExecutable else { throw .openSizes(inputNames, inputShapes) }
    var writer = StoredWriter()
    writer.write(StoredDescription(self, key: key))
    do throws(BackendError) {
      // What differs between two plans of one network is what differs between processes.
      let twin = try compiler.network(like: network)
      let executable = try compiler.executable(of: twin, inputs: inputShapes)
      try network.write(fixedExecutable, twin: executable, to: &writer)
    } catch {
      throw error.compileError(compiler)
    }
    compiler.parameters.endLoading()
    return writer
  }

  /// The content of an entry of a cache for a file of its own.
  ///
  /// The plan is that of the entry. Names, metadata and places are those of this network: the model
  /// that has filled the cache may have others.
  ///
  /// - Throws: ``StoredMisfit`` and `NoMemory`.
  private func content(of entry: StoredBytes) throws -> StoredWriter {
    // The digest was checked when the entry was opened.
    var reader = try CompiledFile.reader(of: entry, threads: nil)
    _ = try reader.read(StoredDescription.self)
    var writer = StoredWriter()
    writer.write(StoredDescription(self, key: ""))
    writer.write(bytes: try reader.bytes(reader.remaining))
    for memory in reader.memories {
      let copy = try AlignedMemory(byteCount: memory.count, isZeroed: false) {
        $0.copyMemory(from: memory)
      }
      _ = writer.index(of: copy)
    }
    return writer
  }

  /// Opens a compiled file that ``write(to:)`` has written.
  ///
  /// ```swift
  /// let network = try CompiledModel(contentsOf: "net.forge")
  /// ```
  /// Nothing is computed: parameters are used as the file holds them. The network predicts as the
  /// one that was written, with the same bits. It has no layers, so what needs them is
  /// refused: ``quantized(calibration:bound:method:onlyFaster:)`` and another ``write(to:)``.
  ///
  /// A digest finds damage of every kind. It does not find what somebody has forged: open only
  /// files that you trust as you trust a program.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - threads: the threads of one prediction; at most those that the plan was made for.
  ///   - isMapped: whether the file is mapped in place of being read, so that processes share its
  ///     pages. A program that cuts the file afterwards ends this process.
  /// - Throws: `CompileError` when the file cannot be read, is damaged, or belongs to another
  ///   version of Forge or to another processor.
  public convenience init(
    contentsOf path: String, threads: CompileOptions.Threads = .automatic,
    isMapped: Bool = false
  ) throws(CompileError) {
    do {
      let cores = CompileOptions.Threads.automatic.count(usable: Device.usableCores())
      let file = try FileDescriptor(path: path)
      let bytes = try CompiledFile.bytes(of: file, isMapped: isMapped, threads: cores)
      let stored = try StoredModel(bytes, on: CPUBackend(), threads: threads, readingThreads: cores)
      let description = stored.description
      self.init(
        stored, from: .file(description.summary), description.facts,
        description.options.options(threads: threads), description.metadata)
    } catch {
      throw .file(path, error, "the compiled file could not be opened")
    }
  }
}

extension CompileReport.RewriteCount: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(name)
    writer.write(places)
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(name: try reader.read(), places: try reader.read())
  }
}

extension CompileError {
  /// The error for a file that cannot be opened or written.
  static func file(_ path: String, _ cause: any Error, _ headline: String) -> CompileError {
    if let error = cause as? CompileError { return error }
    guard let misfit = cause as? StoredMisfit else {
      return CompileError([Problem(headline: headline, cause: cause)])
    }
    var problem =
      switch misfit {
      case .damaged: Problem(headline: "the compiled file is damaged")
      case .foreign(let reason):
        Problem(headline: "the compiled file does not fit: \(reason)")
      }
    problem.path = path
    problem.details = [("remedy", "compile the model and write the file again")]
    return CompileError([problem])
  }

  /// The error for what needs the layers of a network that a file holds.
  static var storedAlready: CompileError {
    CompileError([
      Problem(
        headline: "the network comes from a compiled file, which does not hold its layers",
        details: [("remedy", "compile the model itself")])
    ])
  }

  /// The error for a network whose inputs have no size yet, so it cannot have a plan.
  static func openSizes(_ names: [String], _ shapes: [Shape]) -> CompileError {
    let open = zip(names, shapes).filter { !$1.isKnown }
    return CompileError([
      Problem(
        headline: "a compiled file holds the plan for one size, and an input has none",
        details: [
          ("received", open.map { "\"\($0.printable)\" \($1)" }.joined(separator: ", ")),
          ("remedy", "state the sizes in Input(shape:), or as input sizes while importing"),
        ])
    ])
  }
}
