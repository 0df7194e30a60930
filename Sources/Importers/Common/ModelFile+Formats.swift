extension ModelFile {
  /// The formats that are imported, in the order in which they are tried.
  package static let formats: [any ModelFormat.Type] = [
    ONNXFormat.self,
    KerasFormat.self,
    CoreMLFormat.self,
    DarknetFormat.self,
  ]
}
