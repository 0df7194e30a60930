import Forge
import ForgeLoaders

extension Model {
  /// Writes the model with its weights to a Core ML file.
  ///
  /// ```swift
  /// var model = Model(input: input, output: output)
  /// model.parameters = try SafeTensorsParameters("net.safetensors")
  /// try model.write(coreML: "net.mlmodel")
  /// ```
  /// The file holds a neural network (`NeuralNetwork`) with arrays of fixed sizes. Inputs and
  /// outputs keep their names. Images are stored with channels first,
  /// [1][channels][height][width]; images of one pixel become vectors [1][channels]; other tensors
  /// have the axes of the network. Inputs that hold ids of table rows become 32-bit integers; all
  /// other values are single precision. If the model states how pictures are prepared, the input is
  /// an image, and the file scales the pixels. A model whose labels fit an output becomes a
  /// classifier. Your own layers are written as the operations that they are lowered to. The
  /// author, the license and other metadata is written, too.
  ///
  /// The file is written under another name and renamed: an error leaves an existing one unchanged.
  ///
  /// - Parameters:
  ///   - path: the file, whose name ends with `.mlmodel`; an existing file is replaced.
  ///   - options: the type of the weights, the length of sequences, images and labels.
  /// - Throws: `CompileError` with every mistake of the model and with every parameter that is
  ///   missing or does not fit; ``ExportError`` with every layer that cannot be written, or when
  ///   the file would be larger than 2 GiB; `LoadError` when the file cannot be written; and what
  ///   the source of the parameters throws.
  public func write(coreML path: String, options: CoreMLOptions = CoreMLOptions()) throws {
    let file = try CoreMLFileWriter(self, options)
    try FileReplacement.replace(path) { output in
      try file.write { bytes in try bytes.withUnsafeBytes { try output.add($0) } }
    }
  }

  /// The model with its weights as the bytes of a Core ML file; see ``write(coreML:options:)``.
  ///
  /// - Parameter options: the type of the weights, the length of sequences, images and labels.
  /// - Returns: the bytes of the file.
  /// - Throws: as ``write(coreML:options:)``.
  public func coreML(options: CoreMLOptions = CoreMLOptions()) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try CoreMLFileWriter(self, options).write { bytes += $0 }
    return bytes
  }
}
