import Forge
import ForgeLoaders

extension Model {
  /// Writes the model as Swift source, with its weights beside it.
  ///
  /// ```swift
  /// var model = Model(input: input, output: output)
  /// model.parameters = try SafeTensorsParameters("net.safetensors")
  /// model.metadata.name = "Digits"
  /// try model.write(swift: "Sources/App")  // Sources/App/Digits.swift, Digits.safetensors
  /// ```
  /// The source has an enumeration with two functions: `model()` describes the layers as you
  /// would, with `-->`, and `compiled(weights:options:)` compiles them with the file of the
  /// weights. Repeated layers become loops. Predictions are bit-identical to those of the model.
  /// The source imports only Forge and uses its public layers. Names of modules become parts of the
  /// names of layers. Metadata is written, except for values of more than 4096 characters; limits
  /// of a prediction and checks of integers that an import added are not.
  ///
  /// Both files are written under another name and renamed. A model without parameters has no file
  /// of weights.
  ///
  /// - Parameters:
  ///   - folder: an existing folder; files of these names are replaced.
  ///   - options: names, the type of the weights, and what is written as it is.
  /// - Returns: the paths of the files: the source, and the weights if there are any.
  /// - Throws: `CompileError` with every mistake of the model and with every parameter that is
  ///   missing or does not fit; ``ExportError`` with every layer that cannot be written;
  ///   `LoadError` when a file cannot be written; and what the source of the parameters throws.
  @discardableResult
  public func write(
    swift folder: String, options: SwiftOptions = SwiftOptions()
  ) throws -> [String] {
    let source = try SwiftSource(self, options)
    let path = folder + (folder.isEmpty || folder.hasSuffix("/") ? "" : "/") + source.typeName
    var paths = [path + ".swift"]
    if source.hasParameters {
      guard let parameters else {
        throw ExportError([
          Problem(
            headline: "the model has no source of parameters",
            details: [("remedy", "set its property `parameters`, or write swiftSource() alone")])
        ])
      }
      let weights = path + ".safetensors"
      // PyTorch's order is not known for every layer, such as after a flattened image.
      try SafeTensors.write(
        self, parameters: parameters, layout: .forge, as: options.weights, to: weights)
      paths.append(weights)
    }
    try SwiftFile.write(source.text, to: paths[0])
    return paths
  }

  /// The model as Swift source, without its weights; see ``write(swift:options:)``.
  ///
  /// - Parameter options: names, and what is written as it is.
  /// - Returns: the text of the source.
  /// - Throws: `CompileError` with every mistake of the model; ``ExportError`` with every layer
  ///   that cannot be written.
  public func swiftSource(options: SwiftOptions = SwiftOptions()) throws -> String {
    try SwiftSource(self, options).text
  }
}
