import Forge

/// Builds a layer of a class that a Core ML file only names.
///
/// It is given the layer and its inputs, and returns its outputs, made of Forge's layers or a
/// `Custom`. An ``ImportError`` that it throws is the error of the import; others become its cause.
public typealias CoreMLLayerBuilder =
  @Sendable (_ layer: CoreMLCustomLayer, _ inputs: [ImportedTensor]) throws -> [ImportedTensor]

/// A layer of a network, or a whole model, whose class a Core ML file only names.
///
/// Source: `CustomLayerParams` in NeuralNetwork.proto and CustomModel.proto of Core ML.
public struct CoreMLCustomLayer: Sendable {
  /// A value that the file states.
  public enum Parameter: Hashable, Sendable {
    case number(Double)
    case text(String)
    case integer(Int)
    case flag(Bool)
    case bytes([UInt8])
  }

  /// The name of the layer, which no other layer of the model has; that of a model's first output.
  public let name: String
  /// The name of the class.
  public let className: String
  /// What the file says about it; empty for nothing.
  public let about: String
  /// The parameters by name.
  public let parameters: [String: Parameter]
  /// The stored weights in the order of the file, each with one axis; none of a model.
  ///
  /// Half-precision weights stay so, and quantized ones are decoded to Float32.
  public let weights: [StoredTensor]
  /// The number of tensors that are to be returned.
  public let outputCount: Int

  /// A parameter as a number, whether it is stated with or without a fraction; `nil` if it is not
  /// there or is none.
  ///
  /// - Parameter name: the name of the parameter.
  /// - Returns: the number.
  public func number(_ name: String) -> Double? {
    switch parameters[name] {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The fields of the messages that describe layers and models of a class.
  private enum Field {
    static let (className, weights, parameters, about) = (10, 20, 30, 40)
    static let (number, text, integer, longInteger, flag, bytes) = (10, 20, 30, 40, 50, 60)
  }

  init(_ fields: WireFields, name: String, outputCount: Int) throws {
    self.name = name
    self.outputCount = outputCount
    className = try Self.className(fields)
    about = try fields.string(Field.about)
    parameters = try fields.map(Field.parameters) { entry throws(ImportError) in
      try Self.parameter(entry.message(2))
    }.compactMapValues { $0 }
    weights = try fields.list(Field.weights).map { try CoreMLWeights($0).stored() }
  }

  /// The name of the class that a layer or model states.
  static func className(_ fields: WireFields) throws(ImportError) -> String {
    try fields.name(Field.className)
  }

  private static func parameter(_ fields: WireFields?) throws(ImportError) -> Parameter? {
    let kind = fields?.last { (Field.number...Field.bytes).contains($0) }
    guard let kind, let fields else { return nil }
    return switch kind {
    case Field.number: .number(try fields.double(kind))
    case Field.text: .text(try fields.string(kind))
    case Field.integer: .integer(Int(Int32(truncatingIfNeeded: try fields.int(kind))))
    case Field.longInteger: .integer(try fields.int(kind))
    case Field.flag: .flag(try fields.bool(kind))
    case Field.bytes: .bytes(try fields.bytes(kind))
    default: nil
    }
  }

  /// Builds the layer.
  ///
  /// - Parameters:
  ///   - build: what the caller gives for its class.
  ///   - inputs: the inputs.
  /// - Returns: the outputs.
  /// - Throws: ``NodeFailure``, or ``ImportError`` for what `build` throws.
  func built(
    by build: CoreMLLayerBuilder, on inputs: [FileTensor]
  ) throws -> [FileTensor] {
    let outputs: [ImportedTensor]
    do { outputs = try build(self, inputs.map { ImportedTensor($0) }) } catch {
      if let error = error as? ImportError { throw error }
      throw ImportError(
        .invalidNode, "the closure for a custom layer failed", entry: "\(className) \"\(name)\"",
        cause: error)
    }
    guard outputs.count == outputCount else {
      throw NodeFailure.invalid(
        "\(outputs.count) tensors for \(outputCount) outputs of the class \(className)")
    }
    return try outputs.map { try $0.checked() }
  }
}
