import ForgeLayers
import ForgeShapes

/// Arithmetic on tensors, element by element, as layers: `a + b`, `x * 2 - 1`, `max(a, b)`.
///
/// Sizes that differ broadcast as in `Add`. Numbers are `Float`. In a chain an operator binds
/// tighter than `-->`, so `a + b --> Softmax()` is `(a + b) --> Softmax()`.
///
/// An operator cannot know where it is written. Its node has the place of its operand made last,
/// and a mistake says so.
extension Tensor {
  /// Returns the sum of two tensors, as `[a, b] --> Add()`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - b: a tensor whose sizes are equal or 1.
  /// - Returns: `a + b`.
  public static func + (a: Tensor, b: Tensor) -> Tensor {
    .made(by: "+", of: [a, b]) { Add(fileID: $0.fileID, line: $0.line, column: $0.column) }
  }

  /// Returns a tensor with a number added, as `Add(constant: [number])`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - number: a finite number.
  /// - Returns: `a + number`.
  public static func + (a: Tensor, number: Float) -> Tensor {
    .made(by: "+", of: [a]) {
      Add(constant: [number], fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Returns a tensor with a number added, as `Add(constant: [number])`.
  ///
  /// - Parameters:
  ///   - number: a finite number.
  ///   - a: a tensor.
  /// - Returns: `number + a`.
  public static func + (number: Float, a: Tensor) -> Tensor { a + number }

  /// Returns the difference of two tensors, as `[a, b] --> Subtract()`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - b: a tensor whose sizes are equal or 1.
  /// - Returns: `a − b`.
  public static func - (a: Tensor, b: Tensor) -> Tensor {
    .made(by: "-", of: [a, b]) { Subtract(fileID: $0.fileID, line: $0.line, column: $0.column) }
  }

  /// Returns a tensor with a number subtracted, as `Subtract(constant: [number])`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - number: a finite number.
  /// - Returns: `a − number`.
  public static func - (a: Tensor, number: Float) -> Tensor {
    .made(by: "-", of: [a]) {
      Subtract(constant: [number], fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Returns a number less a tensor, as `Scale(-1, bias: number)`.
  ///
  /// - Parameters:
  ///   - number: a finite number.
  ///   - a: a tensor with a known number of channels.
  /// - Returns: `number − a`.
  public static func - (number: Float, a: Tensor) -> Tensor {
    .made(by: "-", of: [a]) {
      Scale(-1, bias: number, fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Returns a tensor with its sign changed, as `Multiply(constant: [-1])`.
  ///
  /// - Parameter a: a tensor.
  /// - Returns: `−a`.
  public static prefix func - (a: Tensor) -> Tensor {
    .made(by: "-", of: [a]) {
      Multiply(constant: [-1], fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Returns the product of two tensors, element by element, as `[a, b] --> Multiply()`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - b: a tensor whose sizes are equal or 1, such as a gate per channel.
  /// - Returns: `a · b`.
  public static func * (a: Tensor, b: Tensor) -> Tensor {
    .made(by: "*", of: [a, b]) { Multiply(fileID: $0.fileID, line: $0.line, column: $0.column) }
  }

  /// Returns a tensor times a number, as `Multiply(constant: [number])`.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - number: a finite number.
  /// - Returns: `a · number`.
  public static func * (a: Tensor, number: Float) -> Tensor {
    .made(by: "*", of: [a]) {
      Multiply(constant: [number], fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Returns a tensor times a number, as `Multiply(constant: [number])`.
  ///
  /// - Parameters:
  ///   - number: a finite number.
  ///   - a: a tensor.
  /// - Returns: `number · a`.
  public static func * (number: Float, a: Tensor) -> Tensor { a * number }

  /// Returns a tensor times the reciprocal of a number, as `Multiply(constant: [1 / number])`.
  ///
  /// The reciprocal is rounded to Float, so a result may differ from the quotient in its last bit.
  ///
  /// - Parameters:
  ///   - a: a tensor.
  ///   - number: a finite number other than 0.
  /// - Returns: `a · (1 / number)`.
  public static func / (a: Tensor, number: Float) -> Tensor {
    .made(by: "/", of: [a]) {
      Multiply(constant: [1 / number], fileID: $0.fileID, line: $0.line, column: $0.column)
    }
  }

  /// Applies the layer of an operator, which has the place of the newest operand.
  static func made(
    by symbol: String, of operands: [Tensor], layer: (SourcePlace) -> some Layer
  ) -> Tensor {
    let place =
      operands.compactMap { operand in operand.nearestPlace.map { (operand.order, $0) } }
      .max { $0.0 < $1.0 }?.1
    let unknown = SourcePlace(fileID: "unknown", line: 0, column: 0)
    return Tensor(.layer(layer(place ?? unknown)), inputs: operands, operatorText: symbol)
  }

  /// The place of the tensor, or else of the newest tensor before it that has one.
  private var nearestPlace: SourcePlace? {
    var tensor = self
    while true {
      switch tensor.source {
      case .input(let input): return input.place
      case .layer(let layer): return layer.place
      case .foreign(_, let error):
        if let place = error.place { return place }
        guard let newest = tensor.inputs.max(by: { $0.order < $1.order }) else { return nil }
        tensor = newest
      }
    }
  }
}

/// Returns the larger of two tensors, element by element, as `[a, b] --> Maximum()`.
///
/// - Parameters:
///   - a: a tensor.
///   - b: a tensor whose sizes are equal or 1.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `max(a, b)`.
public func max(
  _ a: Tensor, _ b: Tensor,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Tensor.applying(Maximum(fileID: fileID, line: line, column: column), to: [a, b])
}

/// Returns the smaller of two tensors, element by element, as `[a, b] --> Minimum()`.
///
/// - Parameters:
///   - a: a tensor.
///   - b: a tensor whose sizes are equal or 1.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `min(a, b)`.
public func min(
  _ a: Tensor, _ b: Tensor,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Tensor.applying(Minimum(fileID: fileID, line: line, column: column), to: [a, b])
}
