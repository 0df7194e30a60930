extension ModelFile {
  /// The extensions of the files that are imported, in lower case and without the dot: `onnx`.
  ///
  /// Programs that look for models in a folder skip files with other extensions.
  public static var extensions: Set<String> { Set(formats.flatMap { $0.extensions }) }
}
