import Forge

extension MILOperators {
  /// Operations on several tensors with NumPy's broadcasting.
  static let elementwise: [String: Operation] = {
    var table: [String: Operation] = [
      "add": { try sum(&$0, "Add") },
      "sub": { try sum(&$0, "Sub") },
      "not_equal": { call in
        let equal = try call.node("Equal", [try call.value("x"), try call.value("y")])
        call.set(try call.node("Not", [equal]))
      },
      "real_div": { call in
        let operands = [try call.value("x"), try call.value("y")]
        try refuseBytes(operands)
        call.set(try call.node("Div", operands))
      },
      "floor_div": { call in
        let (x, y) = (try call.value("x"), try call.value("y"))
        if case .host(let a) = x, case .host(let b) = y, a.isInteger, b.isInteger {
          let result = try a.combined(b, integers: floored, floats: { ($0 / $1).rounded(.down) })
          guard let result else { throw NodeFailure.invalid("\(a.sizes) and \(b.sizes)") }
          call.set(.host(result))
          return
        }
        try refuseBytes([x, y])
        call.set(try call.node("Floor", [try call.node("Div", [x, y])]))
      },
      "select": { call in
        let inputs = [try call.value("cond"), try call.value("a"), try call.value("b")]
        call.set(try call.node("Where", inputs))
      },
    ]
    let names = [
      "mul": "Mul", "mod": "Mod", "pow": "Pow", "maximum": "Max", "minimum": "Min",
      "equal": "Equal", "less": "Less", "less_equal": "LessOrEqual",
      "greater": "Greater", "greater_equal": "GreaterOrEqual", "logical_and": "And",
      "logical_or": "Or", "logical_xor": "Xor",
    ]
    for (name, type) in names {
      table[name] = { call in
        call.set(try call.node(type, [try call.value("x"), try call.value("y")]))
      }
    }
    return table
  }()

  /// Refuses quotients of computed 8-bit integers, which ONNX cuts off toward 0.
  private static func refuseBytes(_ operands: [FileValue]) throws {
    for case .network(let tensor) in operands where tensor.type.isNarrowInteger {
      throw NodeFailure.unsupported("arithmetic on \(tensor.type.rawValue)")
    }
  }

  /// A sum or difference.
  ///
  /// Integers that are computed at run time are places in tables, which coremltools makes positive;
  /// Float32 has all of them up to 2²⁴.
  private static func sum(_ call: inout MILCall, _ type: String) throws {
    let operands = [try call.value("x"), try call.value("y")]
    let isKnown = operands.allSatisfy { if case .host = $0 { true } else { false } }
    guard !isKnown, operands.allSatisfy({ $0.type.isInteger && $0.type != .bool }) else {
      call.set(try call.node(type, operands))
      return
    }
    let numbers = try operands.map { value -> FileValue in
      switch value {
      case .host(let host): return .host(try host.cast(to: .float32))
      case .network(var tensor):
        tensor.type = .float32
        return .network(tensor)
      case .length: throw FileValue.followsLength
      }
    }
    guard case .network(var result) = try call.node(type, numbers) else { return }
    result.type = operands[0].type
    call.set(.network(result))
  }

  /// The quotient of integers, rounded down; `nil` if there is none.
  private static func floored(_ a: Int64, _ b: Int64) -> Int64? {
    let (quotient, overflow) = a.dividedReportingOverflow(by: b)
    guard !overflow else { return nil }
    return quotient - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0)
  }
}
