import Forge
import ForgeLoaders

extension ImportOptions {
  /// Builds a layer of a Keras file from layers of Forge.
  public typealias KerasLayerBuilder =
    @Sendable (KerasCustomLayer) throws -> [KerasCustomLayer.Output]
}

/// One call of a layer of a Keras file, for code that builds it in ``ImportOptions/kerasLayers``.
///
/// ```swift
/// var options = ImportOptions()
/// options.kerasLayers["Own>Swish"] = { layer in
///   let beta = layer.config["beta"]?.number ?? 1
///   return [.init(layer.inputs[0] --> Unary(.swish(beta: beta)))]
/// }
/// ```
/// Tensors have the axes of Forge: those of Keras without the batch, and a vector of `n` values is
/// 1×1×`n`. A layer of Forge with parameters reads them from the file if its name is ``name``, or
/// begins with it for a layer inside: `layer.name + "/dense"`.
public struct KerasCustomLayer: Sendable {
  /// A tensor that the code has made.
  public struct Output: Sendable {
    let tensor: Tensor
    let axes: Int?
    let mask: Tensor?

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - tensor: the tensor.
    ///   - axes: the number of axes in Keras without the batch. Without it, it is that of the first
    ///     input if both tensors have equally many axes in Forge, else 1 for 1×1×`n`, else that of
    ///     the tensor.
    ///   - mask: which positions along the first axis count, 1 or 0 each; `nil` for all.
    public init(_ tensor: Tensor, axes: Int? = nil, mask: Tensor? = nil) {
      self.tensor = tensor
      self.axes = axes
      self.mask = mask
    }
  }

  /// A weight of the layer in the file.
  public struct Weight: Sendable {
    /// The name in the file; files of Keras 3 number the weights of custom layers: `0`, `1`.
    public let name: String
    /// The sizes, outermost first; empty for a single number.
    public let sizes: [Int]
    private let read: @Sendable () throws(KerasFault) -> [Float]

    fileprivate init(
      _ name: String, sizes: [Int], read: @escaping @Sendable () throws(KerasFault) -> [Float]
    ) {
      self.name = name
      self.sizes = sizes
      self.read = read
    }

    /// The values, the last axis innermost.
    ///
    /// - Returns: as many numbers as the sizes say.
    /// - Throws: an error that ends the import, such as a value beyond `foldedElements` of the
    ///   limits.
    public func values() throws -> [Float] { try read() }
  }

  /// The class as the file names it, with its package if it is registered: `Own>Swish`.
  public let className: String
  /// The name of the layer, after those of the models around it: `backbone/swish`.
  public let name: String
  /// The name for what the call makes: ``name``, numbered from the second call of the layer on.
  public let outputName: String
  /// The arguments of the layer, as `get_config()` returns them.
  public let config: [String: ImportedValue]
  /// The tensors of the call, in order.
  public let inputs: [Tensor]
  /// For each input the number of its axes in Keras, without the batch.
  public let axes: [Int]
  /// For each input which positions along the first axis count, 1 or 0 each; `nil` for all.
  public let masks: [Tensor?]
  /// The arguments of the call that are given by name and are not tensors.
  public let arguments: [String: ImportedValue]
  /// The weights of the layer itself, in the order of the file.
  public let weights: [Weight]

  /// The weight of a name; `nil` if the layer does not have it.
  public func weight(_ name: String) -> Weight? { weights.first { $0.name == name } }

  fileprivate init(_ call: KerasCall) throws(KerasFault) {
    let layer = call.layer
    className = layer.registered.first { $0.contains(">") } ?? layer.registered.last ?? layer.kind
    name = layer.path
    outputName = call.name
    inputs = call.inputs.map(\.tensor)
    axes = call.inputs.map(\.rank)
    masks = call.inputs.map(\.mask)
    if case .object(let config) = ImportedValue(layer.config.json) {
      self.config = config
    } else {
      config = [:]
    }
    arguments = call.keywords.compactMapValues { $0.json.map { ImportedValue($0) } }
    weights = try layer.file.values.all(of: layer).map { name, sizes in
      Weight(name, sizes: sizes) { () throws(KerasFault) in
        try layer.file.values.floats(name, of: layer)
      }
    }
  }

  /// What a layer does that code of the caller builds.
  static func step(
    _ builder: @escaping ImportOptions.KerasLayerBuilder, for layer: KerasLayer
  ) -> KerasStep {
    KerasStep { call throws(KerasFault) in
      let custom = try KerasCustomLayer(call)
      let outputs: [Output]
      do { outputs = try builder(custom) } catch let fault as KerasFault {
        throw fault
      } catch let error as ImportError {
        throw .fatal(error)
      } catch {
        throw .invalid("the code that builds the layer failed", received: "\(error)")
      }
      var results: [KerasTensor] = []
      for output in outputs { results.append(try output.checked(call)) }
      return results
    }
  }
}

extension KerasCustomLayer.Output {
  /// The tensor with its number of axes in Keras.
  fileprivate func checked(_ call: KerasCall) throws(KerasFault) -> KerasTensor {
    switch tensor.outcome {
    case .known: break
    case .failed(let error): throw .shape(error, inputs: call.inputs.map(\.tensor.shape))
    case .blocked: throw .invalid("an input of the layer is not valid")
    }
    let sizes = tensor.shape?.dimensions ?? []
    let isVector = sizes.count == 3 && sizes[0] == 1 && sizes[1] == 1
    let first = call.inputs.first
    let usual: Int
    if let first, first.tensor.shape?.rank == sizes.count, first.rank != 1 || isVector {
      usual = first.rank
    } else {
      usual = isVector ? 1 : sizes.count
    }
    let rank = axes ?? usual
    guard rank == 1 ? isVector : rank == sizes.count else {
      throw .invalid(
        "the code that builds the layer states a different number of axes", received: "\(rank)",
        needs: "\(sizes.count), or 1 for 1×1×n")
    }
    return KerasTensor(tensor: tensor, rank: rank, mask: mask)
  }
}

extension ImportedValue {
  /// A value of JSON.
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .flag(let flag): self = .flag(flag)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    case .array(let array): self = .list(array.map { ImportedValue($0) })
    case .object(let object):
      self = .object(
        Dictionary(object.members.map { ($0.name.text, ImportedValue($0.value)) }) { first, _ in
          first
        })
    }
  }
}
