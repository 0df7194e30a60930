/// Writes small ONNX files field by field, also those that no other program would write.
enum ONNXWriter {
  /// A message: fields one after the other.
  typealias Message = [UInt8]

  static func varint(_ value: Int) -> Message {
    var rest = UInt64(bitPattern: Int64(value))
    var bytes: Message = []
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func field(_ number: Int, _ value: Int) -> Message { varint(number << 3) + varint(value) }

  static func field(_ number: Int, _ bytes: Message) -> Message {
    varint(number << 3 | 2) + varint(bytes.count) + bytes
  }

  static func field(_ number: Int, _ text: String) -> Message { field(number, Array(text.utf8)) }

  /// A node; attributes are integers or lists of them.
  static func node(
    _ type: String, _ inputs: [String], _ outputs: [String], _ attributes: [String: [Int]] = [:],
    name: String? = nil, domain: String = ""
  ) -> Message {
    var message = inputs.flatMap { field(1, $0) } + outputs.flatMap { field(2, $0) }
    message += field(3, name ?? outputs[0]) + field(4, type) + field(7, domain)
    for (name, values) in attributes.sorted(by: { $0.key < $1.key }) {
      message += field(
        5,
        field(1, name)
          + (values.count == 1
            ? field(3, values[0]) + field(20, 2)
            : values.flatMap { field(8, $0) } + field(20, 7)))
    }
    return message
  }

  /// A stored tensor of Float32 values.
  static func stored(_ name: String, _ values: [Float], sizes: [Int]) -> Message {
    sizes.flatMap { field(1, $0) } + field(2, 1) + field(8, name)
      + field(
        9, values.flatMap { value in (0..<4).map { UInt8(value.bitPattern >> ($0 * 8) & 255) } })
  }

  /// A stored list of integers.
  static func stored(_ name: String, _ values: [Int]) -> Message {
    field(1, values.count) + field(2, 7) + field(8, name)
      + field(
        9,
        values.flatMap { value in
          (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        })
  }

  /// A stored tensor whose bytes are in another file.
  static func external(
    _ name: String, at location: String, offset: Int = 0, sizes: [Int]
  ) -> Message {
    let entries = [("location", location), ("offset", "\(offset)")]
    return sizes.flatMap { field(1, $0) } + field(2, 1) + field(8, name)
      + entries.flatMap { field(13, field(1, $0.0) + field(2, $0.1)) } + field(14, 1)
  }

  /// An input or output of Float32 values, or of another element type by its number.
  static func value(_ name: String, _ sizes: [Int], type: Int = 1) -> Message {
    field(1, name)
      + field(2, field(1, field(1, type) + field(2, sizes.flatMap { field(1, field(1, $0)) })))
  }

  /// A model with the input `x` and the output `y`, unless others are given.
  static func model(
    _ nodes: [Message], stored: [Message] = [], inputs: [Message] = [value("x", [1, 4])],
    outputs: [Message] = [field(1, "y")], opset: Int = 18
  ) -> Message {
    let graph =
      nodes.flatMap { field(1, $0) } + field(2, "g") + stored.flatMap { field(5, $0) }
      + inputs.flatMap { field(11, $0) } + outputs.flatMap { field(12, $0) }
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))
  }
}
