import ForgeOperations

// Each function is spelled like a layer and returns an `Activation`, which names it in summaries.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the rectifier as a layer: `max(x, 0)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.relu)`.
public func ReLU(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.relu, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the rectifier cut off at 6 as a layer: `min(max(x, 0), 6)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.relu6)`.
public func ReLU6(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.relu6, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a clip to bounds as a layer: `min(max(x, minimum), maximum)`.
///
/// - Parameters:
///   - minimum: the least result.
///   - maximum: the greatest result, at least the least.
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.clipped(minimum: minimum, maximum: maximum))`.
public func ClippedReLU(
  minimum: Float = 0, maximum: Float, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(
    .clipped(minimum: minimum, maximum: maximum), name: name, fileID: fileID, line: line,
    column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the leaky rectifier as a layer: `x` where positive, else `slope·x`.
///
/// - Parameters:
///   - slope: the slope for negative values (Keras 0.3, PyTorch 0.01, YOLO 0.1).
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.leakyReLU(slope: slope))`.
public func LeakyReLU(
  _ slope: Float, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.leakyReLU(slope: slope), name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the exponential linear unit as a layer: `x` where positive, else `alpha·(eˣ − 1)`.
///
/// - Parameters:
///   - alpha: the limit for negative values, with its sign changed.
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.elu(alpha: alpha))`.
public func ELU(
  alpha: Float = 1, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.elu(alpha: alpha), name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the self-normalizing exponential linear unit as a layer.
///
/// `1.0507·elu(x)` with alpha 1.6733.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.selu)`.
public func SELU(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.selu, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the logistic function as a layer: `1 / (1 + e⁻ˣ)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.sigmoid)`.
public func Sigmoid(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.sigmoid, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the hyperbolic tangent as a layer: `tanh(x)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.tanh)`.
public func Tanh(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.tanh, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the hard sigmoid of Keras 3 and PyTorch as a layer: `min(max(x/6 + 1/2, 0), 1)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.hardSigmoid)`.
public func HardSigmoid(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.hardSigmoid, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the hard sigmoid of Keras 1 and 2 as a layer: `min(max(0.2·x + 0.5, 0), 1)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.hardSigmoidKeras2)`.
public func HardSigmoidKeras2(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.hardSigmoidKeras2, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the hard sigmoid with the attributes of ONNX and Core ML as a layer.
///
/// `min(max(alpha·x + beta, 0), 1)`.
///
/// - Parameters:
///   - alpha: the factor.
///   - beta: the number added.
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.hardSigmoidLinear(alpha: alpha, beta: beta))`.
public func HardSigmoidLinear(
  alpha: Float, beta: Float, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(
    .hardSigmoidLinear(alpha: alpha, beta: beta), name: name, fileID: fileID, line: line,
    column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the hard swish as a layer: `x · min(max(x/6 + 1/2, 0), 1)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.hardSwish)`.
public func HardSwish(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.hardSwish, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the swish, also called SiLU, as a layer: `x · sigmoid(x)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.swish)`.
public func Swish(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.swish, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the SiLU, also called swish, as a layer: `x · sigmoid(x)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.swish)`.
public func SiLU(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.swish, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the mish as a layer: `x · tanh(ln(1 + eˣ))`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.mish)`.
public func Mish(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.mish, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the exact Gaussian error linear unit as a layer: `x/2 · (1 + erf(x/√2))`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.gelu)`.
public func GELU(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.gelu, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the Gaussian error linear unit, approximated by tanh, as a layer.
///
/// `x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.geluTanh)`.
public func GELUTanh(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.geluTanh, name: name, fileID: fileID, line: line, column: column)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the softplus as a layer: `ln(1 + eˣ)`.
///
/// - Parameters:
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: `Activation(.softplus)`.
public func Softplus(
  name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Activation {
  Activation(.softplus, name: name, fileID: fileID, line: line, column: column)
}
