#if Macros
  import Forge

  /// What describes a network: a tensor, an array of tensors, or a model.
  public protocol NetworkDescription {
    /// The network as a model.
    ///
    /// - Parameters:
    ///   - fileID: the file of the description.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the model.
    func model(fileID: String, line: Int, column: Int) -> Model
  }

  extension Tensor: NetworkDescription {
    /// A model with this output, whose inputs are those that lead to it.
    public func model(fileID: String, line: Int, column: Int) -> Model {
      Model(output: self, fileID: fileID, line: line, column: column)
    }
  }

  extension Array: NetworkDescription where Element == Tensor {
    /// A model with these outputs, whose inputs are those that lead to them.
    public func model(fileID: String, line: Int, column: Int) -> Model {
      Model(outputs: self, fileID: fileID, line: line, column: column)
    }
  }

  extension Model: NetworkDescription {
    /// The model itself.
    public func model(fileID: String, line: Int, column: Int) -> Model { self }
  }

  /// The model of a closure; `#network` expands to a call of it.
  ///
  /// - Parameters:
  ///   - fileID: the file of the macro.
  ///   - line: its line.
  ///   - column: its column.
  ///   - describe: describes the network.
  /// - Returns: the model.
  /// - Throws: what the closure throws.
  public func describedModel<Description: NetworkDescription>(
    fileID: String, line: Int, column: Int, _ describe: () throws -> Description
  ) rethrows -> Model {
    try describe().model(fileID: fileID, line: line, column: column)
  }
#endif
