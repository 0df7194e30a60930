#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes

  /// What describes a network: its output, its outputs, or a model.
  enum NetworkBody {
    /// The model of a value; `nil` if it describes none.
    static func model(of value: Value, place: SourcePlace) -> Model? {
      let (file, line, column) = (place.fileID, place.line, place.column)
      switch value {
      case .model(let model): return model
      case .tensor(let tensor):
        return Model(output: tensor, fileID: file, line: line, column: column)
      case .array(let array):
        let elements = array.elements
        let tensors = elements.compactMap { element -> Tensor? in
          if case .tensor(let tensor) = element { tensor } else { nil }
        }
        guard tensors.count == elements.count, !tensors.isEmpty else { return nil }
        return Model(outputs: tensors, fileID: file, line: line, column: column)
      default: return nil
      }
    }
  }
#endif
