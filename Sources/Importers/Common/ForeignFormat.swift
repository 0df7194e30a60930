import Forge

/// A format that Forge does not import, and what to do with a file of it.
struct ForeignFormat {
  /// The format with an article: `a TensorFlow Lite file`.
  let name: String
  /// The extensions of its files or folders.
  var extensions: [String] = []
  /// The name of a file that tells a folder of this format.
  var folderEntry: String?
  /// Whether it holds weights only.
  var isOfWeights = false
  /// The names of its files, where an extension does not tell.
  var fileNames: [String] = []
  /// Whether the first bytes, the name or the extension tell the format and not only a container.
  private(set) var isCertain = true
  /// What to do instead.
  let remedy: String

  /// The format of a file or folder, by its first bytes or by its extension; `nil` if neither
  /// tells.
  init?(_ head: FileHead) {
    let found =
      Self.all.first { format in
        head.isFolder
          ? format.folderEntry.map(head.entries.contains) ?? false
          : format.fileNames.contains(head.name)
      } ?? Self.all.first { $0.extensions.contains(head.extension) }
    let contents = head.contents.flatMap { ForeignFormat($0) }
    guard
      let format = head.contents?.isCertain == true && !head.bytes.isEmpty
        ? contents ?? found : found ?? contents
    else { return nil }
    self = format
  }

  /// The format of a file by its first bytes; `nil` if it is one that is imported.
  init?(_ contents: FileContents) {
    if case .model = contents.role { return nil }
    self.init(
      contents.name, isOfWeights: contents.role == .weights, remedy: contents.remedy)
    isCertain = contents.isCertain
  }

  private init(
    _ name: String, _ extensions: [String] = [], folderEntry: String? = nil,
    fileNames: [String] = [], isOfWeights: Bool = false, remedy: String
  ) {
    self.name = name
    self.extensions = extensions
    self.folderEntry = folderEntry
    self.fileNames = fileNames
    self.isOfWeights = isOfWeights
    self.remedy = remedy
  }

  private static let describe =
    "describe the network in Swift and compile it with WeightFile(path).parameters()"

  private static let all: [ForeignFormat] = [
    ForeignFormat(
      "a TensorFlow SavedModel", folderEntry: "saved_model.pb", fileNames: ["saved_model.pb"],
      remedy: """
        python -m tf2onnx.convert --saved-model FOLDER --output net.onnx
        or load it in Keras and write model.save("net.keras")
        """),
    ForeignFormat(
      "a compiled Core ML model", ["mlmodelc"], folderEntry: "coremldata.bin",
      remedy: "take the .mlmodel that it was compiled from"),
    ForeignFormat(
      "a TensorFlow Lite file", ["tflite"],
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
      "an ONNX Runtime file", ["ort"],
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
    ForeignFormat("a GGUF file", ["gguf"], remedy: FileContents.remedyForGGUF),
    ForeignFormat(
      "a safetensors file", ["safetensors"], isOfWeights: true, remedy: describe),
    ForeignFormat(
      "an archive of NumPy arrays", ["npz"], isOfWeights: true, remedy: describe),
    ForeignFormat(
      "a NumPy array", ["npy"], isOfWeights: true,
      remedy: "--input takes arrays"),
    ForeignFormat(
      "a file of Darknet's weights", ["weights"], isOfWeights: true,
      remedy: "give the .cfg file first and this one with --weights"),
    ForeignFormat(
      "a file of raw values", ["bin", "data"], isOfWeights: true,
      remedy: "describe the network in Swift and compile it with ParameterDirectory(path)"),
  ]
}
