import Forge

/// How the typed interface of a model file is written.
///
/// ```swift
/// import ForgeImporters
///
/// let sizes: [String: [InputSize]] = ["image": [1, 3, 640, 640]]
/// let imported = try ModelFile("net.onnx", sizes: sizes).imported()
/// let options = SwiftInterfaceOptions(name: "Detector", sizes: sizes)
/// let source = try imported.model.swiftInterface(options: options)
/// ```
public struct SwiftInterfaceOptions: Sendable {
  /// The name of the type; `nil` for that of the model.
  public var name: String?
  /// The sizes of inputs with which the file was imported, by the names of the inputs; the
  /// interface opens files with the same.
  public var sizes: [String: [InputSize]]

  /// Creates options.
  ///
  /// - Parameters:
  ///   - name: the name of the type; `nil` for that of the model.
  ///   - sizes: the sizes of inputs with which the file was imported.
  public init(name: String? = nil, sizes: [String: [InputSize]] = [:]) {
    self.name = name
    self.sizes = sizes
  }
}
