import ForgeShapes

/// One use of a module or scope, recorded in each tensor that it made.
package struct ScopeUse: Sendable {
  /// Identifies the use within the process.
  ///
  /// It is a position in the order of creation, before all tensors that the use makes.
  package let id: Int
  /// The prefix of names; `nil` for a module without a name.
  package let name: String?
  /// The Swift type of the module.
  package let typeName: String
  /// The source location of the name.
  package let place: SourcePlace?
  /// Whether the tensor is an output of the use.
  package let isOutput: Bool

  package init(
    id: Int, name: String?, typeName: String, place: SourcePlace?, isOutput: Bool = false
  ) {
    self.id = id
    self.name = name
    self.typeName = typeName
    self.place = place
    self.isOutput = isOutput
  }

  /// The same use of a copied module.
  func with(id: Int) -> ScopeUse {
    ScopeUse(id: id, name: name, typeName: typeName, place: place, isOutput: isOutput)
  }

  /// Applies `body` and records the use in the tensors that it makes.
  ///
  /// These are all tensors that lead to the outputs and were created during the call, except
  /// inputs of the model. Tensors that other threads create during the call are
  /// not among them unless `body` obtains them.
  package static func applying(
    _ name: String?, typeName: String, place: SourcePlace?, to inputs: [Tensor],
    _ body: ([Tensor]) -> [Tensor]
  ) -> [Tensor] {
    let id = Tensor.nextOrder()
    let outputs = body(inputs)
    let ends = Set(outputs.map { ObjectIdentifier($0) })
    var seen: Set<ObjectIdentifier> = []
    var pending = outputs
    while let tensor = pending.popLast() {
      guard tensor.order > id, seen.insert(ObjectIdentifier(tensor)).inserted else { continue }
      pending.append(contentsOf: tensor.inputs)
      guard !tensor.isInput else { continue }
      tensor.enclose(
        in: ScopeUse(
          id: id, name: name, typeName: typeName, place: place,
          isOutput: ends.contains(ObjectIdentifier(tensor))))
    }
    return outputs
  }
}
