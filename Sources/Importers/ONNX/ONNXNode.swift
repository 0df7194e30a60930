import Forge

/// A node of an ONNX file whose operator Forge does not have; see
/// ``ImportOptions/onnxOperators``.
public struct ONNXNode: Sendable {
  /// The operator: `Gelu`.
  public let type: String
  /// Its domain: `com.microsoft`; empty for ONNX's own.
  public let domain: String
  /// The node's name, or that of its first output.
  public let name: String
  /// The version of the domain's operator set; 1 if the file does not state it.
  public let operatorSet: Int
  /// The attributes by name; graphs and types are left out.
  public let attributes: [String: Attribute]
  /// The inputs in order; `nil` for one that is left out.
  public let inputs: [Input?]
  /// The number of outputs.
  public let outputCount: Int

  /// The value of an attribute.
  public enum Attribute: Sendable, Hashable {
    case int(Int64)
    case float(Float)
    case string(String)
    case ints([Int64])
    case floats([Float])
    case strings([String])
    case tensor(StoredTensor)
  }

  /// The value of an input.
  public enum Input: Sendable {
    /// Known while importing: a weight, or computed from sizes and weights.
    case known(StoredTensor)
    /// Computed by the network.
    ///
    /// The tensor has the file's axes in their order, outermost first, and one axis of size 1 if
    /// the file's has none.
    case tensor(Tensor, elementType: ElementType)
  }

  /// An output: a tensor of the network.
  public struct Output: Sendable {
    /// The tensor, with the axes in the order of the file, outermost first.
    public let tensor: Tensor
    /// The type that the file's other nodes take it for.
    public let elementType: ElementType
    /// The sizes in the file; `nil` for those of the tensor.
    public let sizes: [Int]?

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - tensor: the tensor, with the axes in the order of the file.
    ///   - elementType: the type that the file's other nodes take it for.
    ///   - sizes: the sizes in the file, such as `[]` for a single value; `nil` for those of the
    ///     tensor.
    public init(_ tensor: Tensor, elementType: ElementType = .float32, sizes: [Int]? = nil) {
      self.tensor = tensor
      self.elementType = elementType
      self.sizes = sizes
    }
  }

  /// An input that is computed by the network, or a constant of a known one.
  ///
  /// - Parameter index: the number of the input.
  /// - Returns: the tensor, with the file's axes in their order.
  /// - Throws: ``ImportError`` of kind `invalidNode` for an input that is left out or has no
  ///   elements.
  public func tensor(_ index: Int) throws(ImportError) -> Tensor {
    switch inputs.indices.contains(index) ? inputs[index] : nil {
    case .tensor(let tensor, _)?: return tensor
    case .known(let stored)? where stored.count > 0:
      let shape = Shape(sizes: stored.sizes.isEmpty ? [1] : stored.sizes)
      return Tensor.applying(Constant(stored.floats, shape: shape), to: [])
    case .known?, nil:
      throw ImportError(.invalidNode, "node \"\(name)\" (\(type)) has no input \(index)")
    }
  }
}

extension ONNXGraphImport {
  /// The operator of a node that the caller builds; `nil` for other nodes.
  ///
  /// What becomes of its examples and of lengths is not known.
  func given(_ node: FileNode) -> ONNXOperator? {
    guard let build = options.onnxOperators[node.operatorName] else { return nil }
    let operatorSet = model.operatorSets.first { $0.domain == node.domain }?.version ?? 1
    return ONNXOperator(
      node.type, domain: node.domain, import: { try $0.build(operatorSet, build) }, fold: .none,
      bounds: nil, length: .refused, sizes: .none, examples: .mixed)
  }
}

extension ONNXCall {
  /// Sets the results to those that the caller of the import builds for the node.
  fileprivate mutating func build(
    _ operatorSet: Int, _ build: ImportOptions.ONNXOperatorBuilder
  ) throws {
    guard maximumLength == nil else {
      throw NodeFailure.unsupported("a sequence whose length varies")
    }
    let given = ONNXNode(
      type: node.type, domain: node.domain, name: node.name, operatorSet: operatorSet,
      attributes: try node.attributes.compactMapValues { try $0.given() },
      inputs: try inputs.indices.map { try self.given($0) }, outputCount: node.outputs.count)
    let results: [ONNXNode.Output]
    do { results = try build(given) } catch {
      throw ImportError(
        .invalidNode, "the closure for node \"\(node.name)\" (\(node.type)) failed",
        cause: error)
    }
    guard results.count >= node.outputs.count else {
      throw NodeFailure.invalid(
        "\(results.count) outputs from the closure, and the node has \(node.outputs.count)")
    }
    for (index, result) in results.prefix(outputs.count).enumerated() {
      if case .failed(let error) = result.tensor.outcome {
        throw NodeFailure.invalid(
          ([error.headline] + error.details.map { "\($0.label) \($0.text)" })
            .joined(separator: "; "))
      }
      guard let tensorSizes = result.tensor.shape?.sizes else {
        throw NodeFailure.invalid("an output of the closure has unknown sizes")
      }
      let sizes = result.sizes ?? tensorSizes
      guard sizes == tensorSizes || (sizes.isEmpty && tensorSizes == [1]) else {
        throw NodeFailure.invalid("an output of sizes \(tensorSizes), stated as \(sizes)")
      }
      set(
        FileTensor(
          result.tensor, sizes: sizes, layout: FileTensor.fileLayout(sizes),
          type: result.elementType), output: index)
    }
  }

  /// An input as the caller sees it.
  private func given(_ index: Int) throws -> ONNXNode.Input? {
    switch inputs[index] {
    case nil: return nil
    case .host(let host)?: return .known(try host.stored())
    case .network(let tensor)?:
      return .tensor(
        tensor.tensor(as: FileTensor.fileLayout(tensor.sizes)), elementType: tensor.type)
    case .length?: throw FileValue.followsLength
    }
  }
}

extension NodeAttribute {
  /// The value as the caller sees it; `nil` for graphs and types.
  fileprivate func given() throws -> ONNXNode.Attribute? {
    switch self {
    case .int(let value): .int(value)
    case .float(let value): .float(value)
    case .string(let value): .string(value)
    case .ints(let values): .ints(values)
    case .floats(let values): .floats(values)
    case .strings(let values): .strings(values)
    case .tensor(let tensor): .tensor(try tensor.host().stored())
    case .tensors, .graph, .reference, .other: nil
    }
  }
}
