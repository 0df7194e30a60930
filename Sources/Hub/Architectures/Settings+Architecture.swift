/// What config.json says about the kind of network, whatever it is for.
extension Settings {
  /// The kind of network that `model_type` names.
  ///
  /// - Parameters:
  ///   - all: the kinds.
  ///   - types: returns the values of `model_type` that name a kind.
  /// - Returns: the kind.
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  func architecture<Kind>(
    among all: [Kind], types: (Kind) -> [String]
  ) throws(HubError) -> Kind {
    let names = all.flatMap(types).sorted().joined(separator: ", ")
    guard let name = try text("model_type") else {
      throw .missing("model_type", in: path, needs: names)
    }
    guard let kind = all.first(where: { types($0).contains(name) }) else {
      throw unsupported("model_type", needs: names)
    }
    return kind
  }

  /// The head that the class of the network states; `nil` if none is stated.
  ///
  /// - Parameters:
  ///   - needs: what there are heads for, for messages.
  ///   - make: returns the head for the name of a class; `nil` if there is none.
  /// - Returns: the head.
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  func head<Head>(
    needs: String, _ make: (String) -> Head?
  ) throws(HubError) -> Head? {
    guard let value = self["architectures"] else { return nil }
    guard let name = value.array?.first?.text else {
      throw wrong("architectures", value, needs: "a list of class names")
    }
    guard let head = make(name) else {
      throw .unsupported(
        "architectures", "\"\(name.prefix(80))\"", in: path, needs: needs,
        remedy: "head: .features for the features alone")
    }
    return head
  }

  /// Refuses weights that are quantized.
  ///
  /// - Throws: ``HubError`` of kind `unsupported`.
  func refuseQuantization() throws(HubError) {
    guard self["quantization_config"] != nil else { return }
    throw unsupported(
      "quantization_config", needs: "weights of real numbers",
      remedy: "save the network without quantization")
  }
}
