import Forge
import ForgeSystem

/// Constants that follow from a size alone: windows of signals and unit matrices.
enum ONNXWindows {
  /// A sum of cosines: `Σ a(k)·cos(2πkn / N)`, with N − 1 for symmetric windows.
  static func cosines(_ coefficients: [Double]) -> ONNXFolding.Fold {
    { call, hosts in
      guard let size = try hosts.first?.integers().first, (0...(1 << 20)).contains(size),
        let type = ElementType(onnx: Int32(clamping: call.node.int("output_datatype", 1))),
        !type.isInteger
      else { return false }
      let length = call.node.int("periodic", 1) != 0 ? Double(size) : Double(size - 1)
      let values = (0..<Int(size)).map { index -> Float in
        let angle = length > 0 ? 2 * Double.pi * Double(index) / length : 0
        let terms = coefficients.enumerated().map { $0.element * cos(Double($0.offset) * angle) }
        return Float(terms.reduce(0, +)).rounded(to: type)
      }
      ONNXFolding.set(
        &call, HostTensor(type: type, sizes: [values.count], storage: .floats(values)))
      return true
    }
  }

  /// Ones along a diagonal, of the sizes of a matrix.
  static func unitMatrix(_ call: inout ONNXCall, _: [HostTensor]) throws -> Bool {
    let like = try call.value(0)
    guard like.sizes.count == 2, Shape.product(of: like.sizes).map({ $0 <= 1 << 24 }) == true else {
      throw NodeFailure.invalid("a tensor of rank \(like.sizes.count)")
    }
    let stated = call.node.int("dtype")
    guard let type = stated == 0 ? like.type : ElementType(onnx: Int32(clamping: stated)) else {
      throw NodeFailure.unsupported("type \(ONNXTypeName.name(Int32(clamping: stated)))")
    }
    let offset = call.node.int("k")
    // The rows and the matrix exist at the same time.
    let held = try ImportBudget.hold(
      like.sizes[0].multipliedSaturated(by: like.sizes[1]), width: 2 * MemoryLayout<Float>.size)
    let values = (0..<like.sizes[0]).flatMap { row in
      (0..<like.sizes[1]).map { $0 - row == offset ? Float(1) : 0 }
    }
    var ones = HostTensor(floats: values, sizes: like.sizes)
    ones.held = held
    ONNXFolding.set(&call, try ones.cast(to: type))
    return true
  }
}
