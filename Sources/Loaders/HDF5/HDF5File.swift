#if HDF5
  import ForgeShapes

  /// An HDF5 file: what it holds, its values, and its texts.
  ///
  /// ```swift
  /// for entry in try HDF5File("model.h5").entries { print(entry) }
  /// // /model_weights/conv2d_1/conv2d_1/bias:0      32       f32    128 bytes
  /// ```
  /// A file may come from anywhere, and libhdf5 takes much of it on trust. Forge therefore looks
  /// the structure over first, every bound checked: links to other files, virtual data and external
  /// storage are refused, and a file that is cut off or altered gives a ``LoadError``. Plain values are
  /// then used where they lie in the mapped file; those in chunks, which may be compressed, libhdf5 reads when they
  /// are used, one call at a time in the whole process.
  public struct HDF5File: Sendable {
    /// One dataset of a file.
    public struct Entry: Sendable, CustomStringConvertible {
      /// The path in the file: `/model_weights/conv1/conv1/kernel:0`.
      public let name: String
      /// The sizes, outermost first; none for a single value.
      public let sizes: [Int]
      /// The type of the values; `nil` when Forge does not read it.
      public let elementType: ElementType?
      /// The type in words: `f32`, `big-endian f32`, `compound`.
      public let typeName: String
      /// The bytes of the values, uncompressed.
      public let byteCount: Int
      /// Why the values cannot be read, when they cannot.
      public let problem: LoadError?

      /// The entry as one line of a listing.
      public var description: String {
        if let problem { return "\(name)  \(problem.headline)" }
        return "\(name)  \(LoadError.sizeText(sizes))  \(typeName)  \(LoadError.bytes(byteCount))"
      }
    }

    /// The path of the file, as it was given.
    public let path: String
    let contents: HDF5Contents

    /// Opens a file and reads its structure.
    ///
    /// - Parameter path: the file; relative to the working directory unless it begins with `/`.
    /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `notHDF5`,
    ///   `damaged`, `unsupported` or `refused`.
    public init(_ path: String) throws(LoadError) {
      let mapping = try FileMapping(path: path)
      guard HDF5Superblock.isHDF5(mapping) else { throw .notHDF5(mapping) }
      do {
        contents = try HDF5Contents(mapping)
      } catch {
        throw error.error(path: path)
      }
      self.path = path
    }

    /// The datasets of the file, in the order of their names.
    public var entries: [Entry] {
      contents.order.map { name in
        guard let dataset = contents.datasets[name] else {
          return Entry(
            name: name, sizes: [], elementType: nil, typeName: "unknown", byteCount: 0,
            problem: contents.blocked[name]?.error(path: path, entry: name))
        }
        var elementType: ElementType?
        if case .numbers(let type) = dataset.datatype.form { elementType = type }
        var problem: LoadError?
        do throws(LoadError) { _ = try data(at: name) } catch { problem = error }
        return Entry(
          name: name, sizes: dataset.sizes, elementType: elementType,
          typeName: dataset.datatype.text, byteCount: dataset.byteCount, problem: problem)
      }
    }

    /// The texts of an attribute of a group or dataset, as Keras's `model_config`.
    ///
    /// - Parameters:
    ///   - attribute: the attribute; one that Keras has cut into `name0`, `name1`… is put together.
    ///   - entry: the path of the group or dataset.
    /// - Returns: the texts; `nil` when there is no such attribute or it is not made of texts.
    /// - Throws: ``LoadError``: `damaged`, `unsupported` or `refused`.
    public func texts(
      ofAttribute attribute: String, at entry: String = "/"
    ) throws(LoadError) -> [String]? {
      try contents.mapping.verify()
      do {
        return try contents.texts(of: attribute, at: entry)
      } catch {
        throw error.error(path: path, entry: entry)
      }
    }

    /// The values of a dataset.
    ///
    /// - Parameters:
    ///   - entry: the path of the dataset in the file.
    ///   - layout: the axis order of the values.
    /// - Returns: the values; they are read from the file when they are used.
    /// - Throws: ``LoadError``: `entryMissing`, `wrongElementType`, `unsupported` or `refused`.
    public func data(
      at entry: String, layout: ParameterLayout = .keras
    ) throws(LoadError) -> any ParameterData {
      do {
        let name = try contents.resolve(entry)
        guard let dataset = contents.datasets[name] else {
          throw LoadError.entryMissing(path, entry: entry, isGroup: contents.groups[name] != nil)
        }
        return try HDF5Data(self, entry: name, dataset, layout: layout)
      } catch let fault as HDF5Fault {
        throw fault.error(path: path, entry: entry)
      } catch let error as LoadError {
        throw error
      } catch {
        throw LoadError(.damaged, "\(error)", path: path, entry: entry)
      }
    }
  }
#endif
