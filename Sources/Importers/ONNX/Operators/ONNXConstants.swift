import Forge

extension ONNXOperators {
  /// Operators that exist only as constants, which are known while importing.
  static let constants: [ONNXOperator] = [
    .known("Constant", fold: .always(constant), length: .followed, sizes: .none),
    .known(
      "ConstantOfShape", fold: .known(constantOfShape),
      length: .importedBy(ONNXLengths.constantOfShape),
      sizes: .none),
    .known(
      "Shape", fold: .always(shape), length: .importedBy(ONNXLengths.measured(ONNXLengths.shape)),
      sizes: .measured(ONNXLengths.shape)),
    .known(
      "Size", fold: .always(size), length: .importedBy(ONNXLengths.measured(ONNXLengths.count)),
      sizes: .measured(ONNXLengths.count)),
    .known("Range", fold: .known(range), length: .importedBy(ONNXLengths.range), sizes: .none),
    // Only stated sizes have constants for every length.
    .known("EyeLike", fold: .always(ONNXWindows.unitMatrix), length: .refused, sizes: .none),
    .known(
      "HannWindow", fold: .known(ONNXWindows.cosines([0.5, -0.5])), length: .refused,
      sizes: .none),
    .known(
      "HammingWindow", fold: .known(ONNXWindows.cosines([25.0 / 46, -21.0 / 46])),
      length: .refused, sizes: .none),
    .known(
      "BlackmanWindow", fold: .known(ONNXWindows.cosines([0.42, -0.5, 0.08])),
      length: .refused, sizes: .none),
  ]

  private static func constant(_ call: inout ONNXCall, _: [HostTensor]) throws -> Bool {
    ONNXFolding.set(&call, try value(call))
    return true
  }

  private static func value(_ call: ONNXCall) throws -> HostTensor {
    let node = call.node
    if let stored = node.tensor("value") { return try stored.host() }
    if node.has("value_float") { return HostTensor(floats: [node.float("value_float")], sizes: []) }
    if let values = node.floats("value_floats"), !values.isEmpty {
      return HostTensor(floats: values, sizes: [values.count])
    }
    if node.has("value_int") {
      return HostTensor(integers: [Int64(node.int("value_int"))], sizes: [])
    }
    if let values = node.ints("value_ints") {
      return HostTensor(integers: values.map { Int64($0) }, sizes: [values.count])
    }
    throw NodeFailure.unsupported("a value that is not a tensor of numbers")
  }

  private static func shape(_ call: inout ONNXCall, _: [HostTensor]) throws -> Bool {
    let sizes = try call.value(0).sizes
    let start = bound(call.node.int("start", 0), sizes.count)
    let end = bound(call.node.int("end", sizes.count), sizes.count)
    let part = start < end ? Array(sizes[start..<end]) : []
    ONNXFolding.set(&call, HostTensor(integers: part.map { Int64($0) }, sizes: [part.count]))
    return true
  }

  private static func size(_ call: inout ONNXCall, _: [HostTensor]) throws -> Bool {
    let count = try call.value(0).sizes.reduce(1, *)
    ONNXFolding.set(&call, HostTensor(integers: [Int64(count)], sizes: []))
    return true
  }

  private static func constantOfShape(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool
  {
    guard let host = hosts.first else { return false }
    let sizes = try host.integers().map { Int($0) }
    let value = try call.node.tensor("value").map { try $0.host() }
    guard sizes.allSatisfy({ $0 >= 0 }), let count = Shape.product(of: sizes),
      count <= 1 << 24 || value?.isInteger != true
    else { throw NodeFailure.unsupported("a constant of \(sizes)") }
    guard value.map({ $0.count == 1 }) ?? true else {
      throw NodeFailure.invalid("a value of \(value?.count ?? 0) numbers")
    }
    if let value, value.isInteger {
      ONNXFolding.set(&call, try value.reshaped([]).expanded(to: sizes))
    } else {
      let number = try value?.floats().first ?? 0
      ONNXFolding.set(
        &call,
        HostTensor(type: value?.type ?? .float32, sizes: sizes, storage: .repeated(number)))
    }
    return true
  }

  private static func range(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 3 else { return false }
    if hosts.allSatisfy(\.isInteger) {
      let numbers = try hosts.map { try $0.integers().first ?? 0 }
      guard numbers[2] != 0 else { throw NodeFailure.invalid("a step of 0") }
      let length = (Double(numbers[1]) - Double(numbers[0])) / Double(numbers[2])
      guard length < 0x1p24 else { throw NodeFailure.invalid("an endless range") }
      let held = try ImportBudget.hold(Int(max(length, 0)) + 1, width: 8)
      let values = Array(stride(from: numbers[0], to: numbers[1], by: Int(numbers[2])))
      var range = HostTensor(integers: values, sizes: [values.count], type: hosts[0].type)
      range.held = held
      ONNXFolding.set(&call, range)
    } else {
      let numbers = try hosts.map { try $0.floats().first ?? 0 }
      let count = ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up)
      guard count.isFinite, count < 0x1p24 else { throw NodeFailure.invalid("an endless range") }
      let held = try ImportBudget.hold(Int(max(count, 0)), width: 4)
      let values = (0..<Int(max(count, 0))).map { numbers[0] + Float($0) * numbers[2] }
      var range = HostTensor(floats: values, sizes: [values.count])
      range.held = held
      ONNXFolding.set(&call, try range.cast(to: hosts[0].type))
    }
    return true
  }

  private static func bound(_ index: Int, _ count: Int) -> Int {
    min(max(index < 0 ? index + count : index, 0), count)
  }
}
