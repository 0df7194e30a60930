#if HDF5 && Zip
  import ForgeShapes

  /// A `.keras` file, as `model.save("net.keras")` of Keras 3 writes it.
  ///
  /// ```swift
  /// let network = try model.compile(parameters: try KerasArchive("net.keras"))
  /// ```
  /// It is a zip archive with the model's description and its parameters in an HDF5 file. libhdf5
  /// reads files only: the parameters are copied to a temporary file in `TMPDIR` or `/tmp`, which
  /// is removed with the last copy of the value and of the parameters it gave.
  ///
  /// Layers are found by the names the user gave them; where the HDF5 file lacks these, as in files
  /// of early versions, by the archive's description of the model. See ``HDF5Parameters`` for the
  /// rest.
  public struct KerasArchive: ParameterSource {
    /// The entry with the description of the model.
    static let configurationEntry = "config.json"
    private static let metadataEntry = "metadata.json"
    private static let maximumTextBytes = 1 << 26
    /// Unpacking a file must not fill a disk.
    private static let maximumWeightBytes = 1 << 35

    /// The path of the archive, as it was given.
    public let path: String
    /// The description of the model, in JSON.
    public let configuration: String
    /// Who wrote the archive and when, in JSON; `nil` when it does not say.
    public let metadata: String?
    private let scratch: ScratchFile
    private let names: [String: String]
    private var weights: any ParameterSource

    /// Opens an archive and finds its layers.
    ///
    /// - Parameters:
    ///   - path: the file; relative to the working directory unless it begins with `/`.
    ///   - matching: how layers find each other.
    ///   - layout: the axis order of the values.
    /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `entryMissing`,
    ///   `damaged`, `duplicate`, `unsupported` or `refused`.
    public init(
      _ path: String, matching: HDF5Parameters.Matching = .byName,
      layout: ParameterLayout = .keras
    ) throws(LoadError) {
      let archive = try ZipArchive(try FileMapping(path: path))
      guard let text = try Self.text(Self.configurationEntry, in: archive) else {
        throw .noSuchEntry(path, Self.configurationEntry, found: archive.entries.map(\.name))
      }
      configuration = text
      metadata = try Self.text(Self.metadataEntry, in: archive)
      guard let stored = try archive.bytes(named: ZipArchive.kerasWeights) else {
        throw .noSuchEntry(path, ZipArchive.kerasWeights, found: archive.entries.map(\.name))
      }
      guard stored.count <= Self.maximumWeightBytes else {
        throw .refused(path, entry: ZipArchive.kerasWeights, "\(LoadError.bytes(stored.count))")
      }
      let scratch = try ScratchFile.temporary()
      try stored.forEachPiece { piece throws(LoadError) in try scratch.write(piece) }
      self.path = path
      self.scratch = scratch
      do throws(LoadError) {
        let source = try HDF5Parameters(scratch.path, matching: matching, layout: layout)
        names = try KerasNames.names(text, path: path, known: source)
        weights = source
      } catch {
        throw error.inArchive(path, scratch.path)
      }
    }

    /// The datasets of the parameters, in the order of their names.
    public var entries: [HDF5File.Entry] {
      get throws(LoadError) {
        do throws(LoadError) { return try HDF5File(scratch.path).entries } catch {
          throw error.inArchive(path, scratch.path)
        }
      }
    }

    /// Whether layers are found by name.
    public var goesByName: Bool { weights.goesByName }

    /// The layer names there are values for, as the user gave them.
    public var availableNames: [String] {
      guard !names.isEmpty else { return weights.availableNames }
      let inFile = Set(weights.availableNames)
      return names.filter { _, name in
        // The file names a layer of a model inside by its last part where that is enough.
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return inFile.contains(name) || inFile.contains(last)
      }.keys.sorted()
    }

    /// The archive with every parameter of the model matched.
    ///
    /// - Parameter specs: the parameters of the model, in the order of the plan.
    /// - Returns: the source for these.
    /// - Throws: what ``HDF5Parameters`` throws.
    public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
      var ready = self
      do {
        ready.weights = try weights.prepared(for: specs.map(inFile))
      } catch let error as LoadError {
        throw error.inArchive(path, scratch.path)
      }
      return ready
    }

    /// The values of a parameter, or `nil` when the archive has none.
    ///
    /// - Parameter spec: the parameter.
    /// - Returns: the values, which are read when they are used, or `nil`.
    /// - Throws: what ``HDF5Parameters`` throws.
    public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
      do {
        guard let data = try weights.parameter(for: inFile(spec)) else { return nil }
        return KerasData(data: data, archive: path, scratch: scratch)
      } catch let error as LoadError {
        throw error.inArchive(path, scratch.path).asked(for: spec)
      }
    }

    /// The values of a dataset, for a closure that knows what each parameter is called.
    ///
    /// - Parameters:
    ///   - entry: the path of the dataset, as in ``entries``: `/layers/conv2d/vars/0`.
    ///   - layout: the axis order of the values.
    /// - Returns: the values; they are read when they are used.
    /// - Throws: ``LoadError``: `entryMissing`, `wrongElementType`, `damaged`, `unsupported` or
    ///   `refused`.
    public func data(
      at entry: String, layout: ParameterLayout = .keras
    ) throws(LoadError) -> any ParameterData {
      do throws(LoadError) {
        let data = try HDF5File(scratch.path).data(at: entry, layout: layout)
        return KerasData(data: data, archive: path, scratch: scratch)
      } catch {
        throw error.inArchive(path, scratch.path)
      }
    }

    /// The parameter under the name the HDF5 file has for its layer.
    private func inFile(_ spec: ParameterSpec) -> ParameterSpec {
      names[spec.layer].map(spec.named) ?? spec
    }

    private static func text(
      _ name: String, in archive: ZipArchive
    ) throws(LoadError) -> String? {
      guard let stored = try archive.bytes(named: name) else { return nil }
      guard stored.count <= maximumTextBytes else {
        throw .refused(archive.path, entry: name, "\(LoadError.bytes(stored.count)) of text")
      }
      var bytes: [UInt8] = []
      try stored.forEachPiece { bytes.append(contentsOf: $0) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Values that need the temporary file.
  private struct KerasData: ParameterData {
    let data: any ParameterData
    let archive: String
    let scratch: ScratchFile

    var count: Int { data.count }
    var elementType: ElementType { data.elementType }
    var layout: ParameterLayout { data.layout }
    var sizes: [Int]? { data.sizes }
    var temporaryByteCount: Int { data.temporaryByteCount }
    var origin: String {
      data.origin.replacing(scratch.path, with: "\(archive): \(ZipArchive.kerasWeights)")
    }

    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
      do {
        try data.withUnsafeBytes(body)
      } catch let error as LoadError {
        throw error.inArchive(archive, scratch.path)
      }
    }
  }

  extension LoadError {
    /// The error with the archive in place of the temporary file.
    fileprivate func inArchive(_ archive: String, _ scratch: String) -> LoadError {
      guard path == scratch else { return self }
      var error = self
      error.path = archive
      error.entry = [ZipArchive.kerasWeights, entry].compactMap(\.self).joined(separator: ": ")
      return error
    }
  }
#endif
