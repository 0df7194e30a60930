import Forge

extension Model {
  /// Writes a Swift structure with typed inputs and outputs for the file that the model is from.
  ///
  /// ```swift
  /// import ForgeImporters
  ///
  /// let imported = try ModelFile("net.onnx").imported()
  /// try imported.model.write(swiftInterface: "Sources/App/Net.swift")
  /// ```
  /// The structure opens a file, checks that it has the same inputs, outputs and labels, and
  /// predicts: `try Net(contentsOf: "net.onnx").predict(Net.Inputs(image: values)).probabilities`.
  /// Inputs and outputs have the axes that they have in Forge: images have their channels last.
  /// Open sizes are parameters of the inputs. Where the file states how pictures are prepared, the
  /// inputs take pictures, too, and the source imports ForgeImages.
  ///
  /// The file is written under another name and renamed.
  ///
  /// - Parameters:
  ///   - path: the file; an existing file is replaced.
  ///   - options: the name of the type, and the sizes with which the file was imported.
  /// - Throws: `CompileError` with every mistake of the model; ``ExportError`` for inputs of any
  ///   size; `LoadError` when the file cannot be written.
  public func write(
    swiftInterface path: String, options: SwiftInterfaceOptions = SwiftInterfaceOptions()
  ) throws {
    try SwiftFile.write(swiftInterface(options: options), to: path)
  }

  /// The typed interface as text; see ``write(swiftInterface:options:)``.
  ///
  /// - Parameter options: the name of the type, and the sizes with which the file was imported.
  /// - Returns: the text of the source.
  /// - Throws: `CompileError` with every mistake of the model; ``ExportError`` for inputs of any
  ///   size.
  public func swiftInterface(
    options: SwiftInterfaceOptions = SwiftInterfaceOptions()
  ) throws -> String {
    try SwiftInterface(self, options).text
  }
}
