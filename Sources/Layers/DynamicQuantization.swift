import ForgeOperations
import ForgeShapes

/// The scale and the zero point of integers from 0 to 255 that cover 0 and every element, as model
/// files state them.
///
/// - Input shape: any.
/// - Output shape: [2], the scale and the zero point.
/// - Parameters: none.
/// - Source: ONNX, DynamicQuantizeLinear.
package struct DynamicRange: PrimitiveLayer {
  package let label = LayerLabel(nil, "", 0, 0)
  package var primitive: Primitive { .dynamicRange }

  /// Creates a range.
  package init() {}
}

/// Integers from 0 to 255 for real numbers, as model files state them.
///
/// - Input shapes: any, and that of a ``DynamicRange``.
/// - Output shape: that of the first input.
/// - Parameters: none.
/// - Source: ONNX, DynamicQuantizeLinear.
package struct DynamicIntegers: BuiltInLayer {
  package let label = LayerLabel(nil, "", 0, 0)

  /// Creates integers.
  package init() {}

  /// Lowers to one operation.
  package func lower(into lowering: inout Lowering) throws(ShapeError) {
    guard lowering.inputs.count == 2 else {
      throw .wrongInputCount(lowering.inputs.count, needs: "numbers and their range")
    }
    lowering.output = try lowering.apply(.dynamicQuantize, to: lowering.inputs)
  }
}
