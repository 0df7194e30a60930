import Forge
struct Stub {}
public enum UnaryFunction: Sendable { case absolute, negate, sign, reciprocal, squareRoot, reciprocalSquareRoot, square, exponential, logarithm, floor, ceiling, round, truncate, errorFunction, sine, cosine, tangent, arcsine, arccosine, arctangent, hyperbolicSine, hyperbolicCosine, hyperbolicArcsine, hyperbolicArccosine, hyperbolicArctangent, softsign, logicalNot, isNonzero, isNaN
 case isInfinite(positive: Bool, negative: Bool), thresholdedReLU(alpha: Float), scaledELU(alpha: Float, gamma: Float), celu(alpha: Float), swish(beta: Float), shrink(bias: Float, lambda: Float) }
public protocol SL: Layer {}
extension SL { public func lower(into l: inout Lowering) throws(ShapeError) {} ; public static func == (a: Self, b: Self) -> Bool { true } }
public struct Unary: SL { init(_ f: UnaryFunction, name: String? = nil) {} }
public struct Divide: SL { init(name: String? = nil) {}; init(by: [Float]) {} }
public struct Power: SL { init(name: String? = nil) {} }
public struct Remainder: SL { enum Sign { case ofDividend, ofDivisor }; init(_ s: Sign, name: String? = nil) {} }
public enum Comparison: Sendable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual }
public struct Compare: SL { init(_ c: Comparison, name: String? = nil) {}; init(_ c: Comparison, than: [Float]) {} }
public enum LogicalOperation: Sendable { case and, or, xor }
public struct Logical: SL { init(_ c: LogicalOperation, name: String? = nil) {} }
public struct Where: SL { init() {} }
public enum Reduction: Sendable { case sum, mean, maximum, minimum, product, l1, l2, sumOfSquares, logSum, logSumExp }
public struct Reduce: SL { init(_ k: Reduction, axes: [Int]? = nil, keepsDimensions: Bool = false, name: String? = nil) {} }
public struct MatMul: SL { init(transposeA: Bool = false, transposeB: Bool = false, name: String? = nil) {} }
public struct LastAxisDense: SL { init(neurons: Int, activation: ActivationFunction = .linear, useBias: Bool = true, name: String? = nil) {} }
public struct Slice: SL { init(starts: [Int], ends: [Int], axes: [Int]? = nil, steps: [Int]? = nil, name: String? = nil) {} }
public struct Gather: SL { init(indices: [Int], axis: Int, name: String? = nil) {} }
public struct GatherRows: SL { init(axis: Int = 0, name: String? = nil) {} }
public struct GatherElements: SL { init(axis: Int, name: String? = nil) {} }
public struct Expand: SL { init(to: [Int], name: String? = nil) {} }
public struct Tile: SL { init(_ r: [Int], name: String? = nil) {} }
public enum PadMode: Hashable, Sendable { case constant(Float), reflect, edge, wrap }
public struct Pad: SL { init(before: [Int], after: [Int], mode: PadMode = .constant(0), name: String? = nil) {} }
public struct ArgMax: SL { init(axis: Int, keepsDimensions: Bool = false, selectsLast: Bool = false) {} }
public struct ArgMin: SL { init(axis: Int, keepsDimensions: Bool = false, selectsLast: Bool = false) {} }
public struct TopK: SL { public enum Output { case values, indices }; init(count: Int, axis: Int = -1, largest: Bool = true, sorted: Bool = true, output: Output) {} }
public struct CumulativeSum: SL { init(axis: Int, exclusive: Bool = false, reversed: Bool = false) {} }
extension Softmax { init(axis: Int, name: String? = nil) { self.init() } }
extension LogSoftmax { init(axis: Int, name: String? = nil) { self.init() } }
