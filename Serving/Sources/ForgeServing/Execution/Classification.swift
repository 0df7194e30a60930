import Foundation

/// The most likely classes of an output, as the classification extension lists them.
package struct Classification {
  /// Strings `value:class` or `value:class:label`, the most likely first, for each example.
  package let tensor: TensorData

  /// Lists classes.
  ///
  /// - Throws: ``ServingError`` when the output is not of numbers.
  package init(_ output: TensorData, count: Int, labels: [String]) throws(ServingError) {
    let shape = output.shape
    let width = shape.last ?? 1
    guard output.datatype == .float32, width > 0 else {
      throw .invalid("the output \"\(output.name)\" has no classes: it must be FP32")
    }
    let values = output.content.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        Float(
          bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
        )
      }
    }
    let wanted = min(count, width)
    var content: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: width) {
      let order = (0..<width).sorted {
        let (a, b) = (values[start + $0], values[start + $1])
        return a != b ? a > b : $0 < $1
      }
      for index in order.prefix(wanted) {
        let label = labels.count == width ? ":\(labels[index])" : ""
        let text = String(format: "%f", Double(values[start + index]))
        TensorData.append("\(text):\(index)\(label)".utf8, to: &content)
      }
    }
    tensor = TensorData(
      name: output.name, datatype: .bytes, shape: shape.dropLast() + [wanted],
      content: content[...])
  }
}
