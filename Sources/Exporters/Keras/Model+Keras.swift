import Forge
import ForgeLoaders

extension Model {
  /// Writes the model with its weights to a `.keras` file, as Keras 3 saves models.
  ///
  /// ```swift
  /// var model = Model(input: input, output: output)
  /// model.parameters = try SafeTensorsParameters("net.safetensors")
  /// try model.write(keras: "net.keras")
  /// ```
  /// `keras.models.load_model("net.keras")` loads it, without custom objects and without unsafe
  /// deserialization. Inputs and outputs have their batch axis first and their channels last,
  /// [N][height][width][channels]; images of one pixel become vectors [N][channels]. Inputs that
  /// hold ids of table rows become 32-bit integers; all other values are single precision. Names
  /// consist of letters, digits, `_` and `-`, which every back end of Keras accepts; other
  /// characters become `_`, and names of more than 1024 characters are cut. Your own layers are
  /// written as the operations that they are lowered to. The source rectangle of a `Resize` is the
  /// whole image.
  ///
  /// The file is written under another name and renamed: an error leaves an existing one unchanged.
  /// One parameter at a time is in memory.
  ///
  /// - Parameters:
  ///   - path: the file; an existing file is replaced.
  ///   - options: the length of sequences, and how large constants may be.
  /// - Throws: `CompileError` with every mistake of the model and with every parameter that is
  ///   missing or does not fit; ``ExportError`` with every layer that cannot be written, or when
  ///   the file would be larger than 4 GiB; `LoadError` when the file cannot be written; and what
  ///   the source of the parameters throws.
  public func write(keras path: String, options: KerasOptions = KerasOptions()) throws {
    let writer = try KerasFileWriter(self, options)
    try FileReplacement.replace(path) { file in
      try writer.write { bytes in try bytes.withUnsafeBytes { try file.add($0) } }
    }
  }

  /// The model with its weights as the bytes of a `.keras` file; see ``write(keras:options:)``.
  ///
  /// - Parameter options: the length of sequences, and how large constants may be.
  /// - Returns: the bytes of the file.
  /// - Throws: as ``write(keras:options:)``.
  public func keras(options: KerasOptions = KerasOptions()) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try KerasFileWriter(self, options).write { bytes += $0 }
    return bytes
  }
}
