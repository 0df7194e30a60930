import Forge

/// A format that Forge does not import, and what to do with a file of it.
struct ForeignFormat {
  /// The format with an article: `a TensorFlow Lite file`.
  let name: String
  /// The extensions of its files or folders.
  var extensions: [String] = []
  /// The name of a file that tells a folder of this format.
  var folderEntry: String?
  /// Bytes that tell a file of this format, and where they are.
  var signature: (bytes: [UInt8], offset: Int)?
  /// Whether it holds weights only.
  var isOfWeights = false
  /// What to do instead.
  let remedy: String

  /// The format of a file or folder; `nil` if it is not in the list.
  init?(_ head: FileHead) {
    func isSigned(_ format: ForeignFormat) -> Bool {
      guard let (bytes, offset) = format.signature else { return false }
      return head.bytes.dropFirst(offset).starts(with: bytes)
    }
    let found =
      Self.all.first { format in
        head.isFolder
          ? format.folderEntry.map(head.entries.contains) ?? false : isSigned(format)
      } ?? Self.all.first { $0.extensions.contains(head.extension) }
    guard let found else { return nil }
    self = found
  }

  private init(
    _ name: String, _ extensions: [String] = [], folderEntry: String? = nil,
    signature: (bytes: [UInt8], offset: Int)? = nil, isOfWeights: Bool = false, remedy: String
  ) {
    self.name = name
    self.extensions = extensions
    self.folderEntry = folderEntry
    self.signature = signature
    self.isOfWeights = isOfWeights
    self.remedy = remedy
  }

  private static let describe =
    "describe the network in Swift and compile it with WeightFile(path).parameters()"

  private static let all: [ForeignFormat] = [
    ForeignFormat(
      "a TensorFlow SavedModel", folderEntry: "saved_model.pb",
      remedy: """
        python -m tf2onnx.convert --saved-model FOLDER --output net.onnx
        or load it in Keras and write model.save("net.keras")
        """),
    ForeignFormat(
      "a compiled Core ML model", ["mlmodelc"], folderEntry: "coremldata.bin",
      remedy: "take the .mlmodel that it was compiled from"),
    ForeignFormat(
      "a TensorFlow Lite file", ["tflite"], signature: (Array("TFL3".utf8), 4),
      remedy: "python -m tf2onnx.convert --tflite net.tflite --output net.onnx"),
    ForeignFormat(
      "a TensorFlow graph", ["pb", "pbtxt", "meta"],
      remedy: """
        python -m tf2onnx.convert --graphdef net.pb --inputs x:0 --outputs y:0 --output net.onnx
        """),
    ForeignFormat(
      "a PyTorch file", ["pt", "pth", "ptl", "torchscript", "ckpt", "pkl"],
      remedy: """
        in PyTorch, torch.onnx.export(model, (example,), "net.onnx")
        or for weights alone safetensors.torch.save_file(model.state_dict(), "net.safetensors")
        """),
    ForeignFormat(
      "a PyTorch export", ["pt2"],
      remedy: "in PyTorch, torch.onnx.export(model, (example,), \"net.onnx\")"),
    ForeignFormat(
      "an ONNX Runtime file", ["ort"], signature: (Array("ORTM".utf8), 4),
      remedy: "take the .onnx file that it was made from"),
    ForeignFormat(
      "a Caffe model", ["caffemodel", "prototxt"],
      remedy: "convert it to ONNX or to Core ML's .mlmodel"),
    ForeignFormat(
      "a Paddle model", ["pdmodel", "pdiparams"], remedy: "paddle2onnx writes an .onnx file"),
    ForeignFormat(
      "an OpenVINO model", ["xml"], remedy: "take the .onnx file that it was made from"),
    ForeignFormat(
      "a plan of another runtime", ["engine", "trt", "plan", "mnn", "param"],
      remedy: "take the .onnx file that it was made from"),
    ForeignFormat("a GGUF file", ["gguf"], signature: (Array("GGUF".utf8), 0), remedy: describe),
    ForeignFormat(
      "a safetensors file", ["safetensors"], isOfWeights: true, remedy: describe),
    ForeignFormat(
      "an archive of NumPy arrays", ["npz"], isOfWeights: true, remedy: describe),
    ForeignFormat(
      "a NumPy array", ["npy"], signature: ([0x93] + Array("NUMPY".utf8), 0), isOfWeights: true,
      remedy: "--input takes arrays"),
    ForeignFormat(
      "a file of Darknet's weights", ["weights"], isOfWeights: true,
      remedy: "give the .cfg file first and this one with --weights"),
    ForeignFormat(
      "a file of raw values", ["bin", "data"], isOfWeights: true,
      remedy: "describe the network in Swift and compile it with ParameterDirectory(path)"),
  ]
}
