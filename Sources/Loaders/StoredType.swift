import ForgeShapes

/// The type of the values in a weight file that Forge writes.
///
/// ```swift
/// try SafeTensors.write(model, parameters: source, as: .float16, to: "net.safetensors")
/// ```
public enum StoredType: String, Hashable, Sendable, CaseIterable {
  /// Single precision: the values as they are.
  case float32 = "f32"
  /// The nearest half-precision number, the even one of two.
  ///
  /// A finite number beyond ±65504 has none and is an error.
  case float16 = "f16"
  /// The nearest bfloat16 number, the even one of two.
  case bfloat16 = "bf16"
  /// Integers from −127 to 127 times a scale for each output of a layer.
  ///
  /// The scale is the largest magnitude of the output's weights divided by 127. Only weights with
  /// at least two axes become integers; biases and all other parameters stay single precision.
  case int8 = "i8"

  /// The type of the values in the file.
  package var elementType: ElementType {
    switch self {
    case .float32: .float32
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int8: .int8
    }
  }
}

extension StoredType {
  /// Converts single-precision values to little-endian halves, in place, at the front of memory.
  ///
  /// - Throws: ``LoadError`` of kind `wrongElementType` for a finite value that has no half.
  package func narrow(
    _ memory: UnsafeMutableRawBufferPointer, of spec: ParameterSpec
  ) throws(LoadError) {
    let count = memory.count / MemoryLayout<Float>.size
    for index in 0..<count {
      let value = memory.load(fromByteOffset: index * 4, as: Float.self)
      let bits = self == .bfloat16 ? value.bfloat16Bits : value.halfPrecisionBits
      if self == .float16, value.isFinite, bits & 0x7C00 == 0x7C00 {
        throw .doesNotFit(value, self, spec, remedy: "write bf16, which has the range of f32")
      }
      memory.storeBytes(of: bits.littleEndian, toByteOffset: index * 2, as: UInt16.self)
    }
  }
}

extension LoadError {
  /// A value that the type of the file does not have.
  static func doesNotFit(
    _ value: Float, _ type: StoredType, _ spec: ParameterSpec, remedy: String
  ) -> LoadError {
    LoadError(
      .wrongElementType,
      "\(spec.type.subject) of \"\(spec.layer)\" \(spec.type.verb("do", "does")) not fit the type",
      parameter: spec, received: "\(value)", needs: "values that \(type.rawValue) has",
      remedy: remedy)
  }

  /// Scales that are not one for each output of their integers.
  static func scalesMisfit(_ scales: [Int], of sizes: [Int]) -> LoadError {
    LoadError(
      .wrongShape, "the scales do not fit their integers", received: sizeText(scales),
      needs: "one for each index of the first or the last axis of \(sizeText(sizes)), or one")
  }
}
