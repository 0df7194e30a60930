/// A number or Boolean that an input of a model takes: it is converted to Float32.
public protocol TensorElement: BitwiseCopyable, Sendable {
  /// The nearest Float32 number; a Boolean is 0 or 1.
  var float32: Float { get }
}

extension TensorElement where Self: BinaryInteger {
  /// The nearest Float32 number.
  @inlinable public var float32: Float { Float(self) }
}

extension Int: TensorElement {}
extension Int8: TensorElement {}
extension Int16: TensorElement {}
extension Int32: TensorElement {}
extension Int64: TensorElement {}
extension UInt8: TensorElement {}
extension UInt16: TensorElement {}

extension Float: TensorElement {
  /// The number itself.
  @inlinable public var float32: Float { self }
}

extension Double: TensorElement {
  /// The nearest Float32 number.
  @inlinable public var float32: Float { Float(self) }
}

extension Float16: TensorElement {
  /// The number itself.
  @inlinable public var float32: Float { Float(self) }
}

extension Bool: TensorElement {
  /// 1 for true, 0 for false.
  @inlinable public var float32: Float { self ? 1 : 0 }
}
