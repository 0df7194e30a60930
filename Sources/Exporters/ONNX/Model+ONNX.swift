import Forge
import ForgeLoaders

extension Model {
  /// Writes the model with its weights to an ONNX file.
  ///
  /// ```swift
  /// var model = Model(input: input, output: output)
  /// model.parameters = try SafeTensorsParameters("net.safetensors")
  /// try model.write(onnx: "net.onnx")
  /// ```
  /// Inputs and outputs keep their names, and their first axis counts the examples. Images are
  /// stored with channels first, [N][channels][height][width]; images of one pixel become vectors
  /// [N][channels]; other tensors have the axes of the network after the batch axis. Inputs that
  /// hold ids of table rows become 64-bit integers; all other values are single precision. Your own
  /// layers are written as the operations that they are lowered to. The source rectangle of a
  /// `Resize` is the whole image. Labels, the author, the license and other metadata is written,
  /// too. The operators are those of version 20.
  ///
  /// Files are written under another name and renamed: an error leaves existing ones unchanged.
  ///
  /// - Parameters:
  ///   - path: the file; an existing file is replaced.
  ///   - options: the number of examples, the length of sequences, and where large constants are.
  /// - Throws: `CompileError` with every mistake of the model and with every parameter that is
  ///   missing or does not fit; ``ExportError`` with every layer that cannot be written;
  ///   `LoadError` when a file cannot be written; and what the source of the parameters throws.
  public func write(onnx path: String, options: ONNXOptions = ONNXOptions()) throws {
    let file = try ONNXFileWriter(self, options)
    try file.write(to: path, inlineBytes: options.inlineBytes)
  }

  /// The model with its weights as the bytes of an ONNX file; see ``write(onnx:options:)``.
  ///
  /// - Parameter options: the number of examples and the length of sequences.
  /// - Returns: the bytes of one file with all constants.
  /// - Throws: as ``write(onnx:options:)``; ``ExportError`` when the file would be larger than
  ///   2 GiB.
  public func onnx(options: ONNXOptions = ONNXOptions()) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try ONNXFileWriter(self, options).write(external: nil) { bytes += $0 }
    return bytes
  }
}
