import Forge
import ForgeMessages

/// The outputs of a graph that are known while importing.
extension ONNXGraphImport {
  /// The values of tensors that no input reaches, computed once.
  ///
  /// - Parameters:
  ///   - tensors: the tensors of the network.
  ///   - parameters: the weights of their layers.
  ///   - limit: the most elements of all tensors on the way to them.
  /// - Returns: the values in the order of the network's axes; `nil` if there are too many, or the
  ///   network does not compile.
  static func values(
    of tensors: [FileTensor], _ parameters: ImportedParameters, limit: Int
  ) -> [TensorValues]? {
    // A network has an input; this one changes nothing.
    let input = Input(shape: [1], name: "no input")
    let nothing = input.chained(to: Compare(.greater, than: [.greatestFiniteMagnitude]))
    let outputs = tensors.enumerated().map { index, tensor in
      let rank = tensor.tensor.shape?.rank ?? 1
      let zero = nothing.chained(to: Reshape(to: Array(repeating: 1, count: rank)))
      return [tensor.tensor, zero].chained(to: Subtract(name: "output \(index)"))
    }
    var model = Model(inputs: [input], outputs: outputs)
    model.parameters = parameters
    guard Tensor.elementCount(of: outputs) <= limit, model.multiplyAdds <= limit,
      let network = try? model.compile(options: CompileOptions(threads: .exactly(1))),
      let results = try? network.predict(["no input": [0] as [Float]])
    else { return nil }
    return outputs.indices.map { results.tensors[$0] }
  }

  /// What the type of an input is called in messages.
  static func text(_ type: OnnxType) -> String {
    switch type.value {
    case .tensorType(let tensor)?: "element type \(ONNXTypeName.name(tensor.elemType))"
    case .sequenceType?: "a sequence"
    case .mapType?: "a map"
    case .sparseTensorType?: "a sparse tensor"
    case .optionalType?: "an optional"
    case nil: "no type"
    }
  }
}
