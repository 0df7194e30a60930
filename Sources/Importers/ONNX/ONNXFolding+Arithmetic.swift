import Forge
import ForgeSystem

/// Arithmetic on single elements of known values.
extension ONNXFolding {
  static let sum = binary({ checked($0.addingReportingOverflow($1)) }, { $0 + $1 })
  static let difference = binary({ checked($0.subtractingReportingOverflow($1)) }, { $0 - $1 })
  static let product = binary({ checked($0.multipliedReportingOverflow(by: $1)) }, { $0 * $1 })
  static let quotient = binary({ checked($0.dividedReportingOverflow(by: $1)) }, { $0 / $1 })
  static let power = binary(integerPower, { Float(pow(Double($0), Double($1))) })
  static let minimum = binary({ min($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : min($0, $1) })
  static let maximum = binary({ max($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : max($0, $1) })

  /// Combines the elements of all inputs one after the other.
  static func binary(
    type: ElementType? = nil, _ integers: @escaping @Sendable (Int64, Int64) -> Int64?,
    _ floats: @escaping @Sendable (Float, Float) -> Float
  ) -> Fold {
    { call, hosts in
      guard var result = hosts.first, hosts.count >= 2 else { return false }
      for other in hosts.dropFirst() {
        guard
          let next = try result.combined(other, type: type, integers: integers, floats: floats)
        else { return false }
        result = next
      }
      set(&call, result)
      return true
    }
  }

  /// Compares the elements of two inputs.
  static func compare(
    _ integers: @escaping @Sendable (Int64, Int64) -> Bool,
    _ floats: @escaping @Sendable (Float, Float) -> Bool
  ) -> Fold {
    binary(type: .bool, { integers($0, $1) ? 1 : 0 }, { floats($0, $1) ? 1 : 0 })
  }

  /// A function of each element.
  static func unary(
    _ integers: @escaping @Sendable (Int64) -> Int64?,
    _ floats: @escaping @Sendable (Float) -> Float
  ) -> Fold {
    { call, hosts in
      set(&call, ifThere: try hosts.first?.mapped(integers: integers, floats: floats))
    }
  }

  /// A function of each floating-point number, computed in Double and rounded once.
  static func function(_ function: @escaping @Sendable (Double) -> Double) -> Fold {
    unary({ _ in nil }, { Float(function(Double($0))) })
  }

  /// Whether something holds for each floating-point number.
  static func test(_ holds: @escaping @Sendable (_ call: ONNXCall, Float) -> Bool) -> Fold {
    { call, hosts in
      guard let host = hosts.first, !host.isInteger else { return false }
      let node = call
      let result = try host.mapped(integers: { _ in nil }, floats: { holds(node, $0) ? 1 : 0 })
      return set(&call, ifThere: try result?.cast(to: .bool))
    }
  }

  /// The remainder of a division: that of integers has the sign of the divisor, unless C's is asked
  /// for.
  static func remainder(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    if call.node.int("fmod") != 0 {
      return try binary(
        { checked($0.remainderReportingOverflow(dividingBy: $1)) },
        { $0.truncatingRemainder(dividingBy: $1) })(&call, hosts)
    }
    guard hosts.allSatisfy(\.isInteger) else { return false }
    return try binary(
      { a, b in
        checked(a.remainderReportingOverflow(dividingBy: b)).map { rest in
          rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest
        }
      }, { $0 + $1 })(&call, hosts)
  }

  /// Elements between two bounds.
  static func clip(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard var result = hosts.first, !call.node.has("min"), !call.node.has("max") else {
      return false
    }
    // The upper bound wins where they cross.
    for (index, combine) in [(1, maximum), (2, minimum)] {
      guard let bound = call.host(index) else { continue }
      guard try bound.isInteger || !bound.floats().contains(where: \.isNaN) else {
        throw NodeFailure.unsupported("a bound that is not a number")
      }
      guard try combine(&call, [result, bound]), case .host(let next)? = call.outputs[0] else {
        return false
      }
      result = next
    }
    set(&call, result)
    return true
  }

  /// Elements of two tensors, chosen by a third one.
  static func choose(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 3,
      let first = HostTensor.broadcast(hosts[0].sizes, hosts[1].sizes),
      let sizes = HostTensor.broadcast(first, hosts[2].sizes)
    else { return false }
    set(
      &call, try HostTensor.chosen(by: hosts[0], hosts[1], hosts[2], sizes: sizes))
    return true
  }

  /// The result of an operation that may overflow.
  static func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
    result.overflow ? nil : result.partialValue
  }

  /// A power of integers; `nil` if it overflows, or the exponent is negative.
  private static func integerPower(_ base: Int64, _ exponent: Int64) -> Int64? {
    if base == 0 || base == 1 { return exponent == 0 ? 1 : exponent > 0 ? base : nil }
    if base == -1 { return exponent >= 0 ? (exponent & 1 == 0 ? 1 : -1) : nil }
    guard (0...63).contains(exponent) else { return nil }
    var result: Int64 = 1
    for _ in 0..<exponent {
      guard let next = checked(result.multipliedReportingOverflow(by: base)) else { return nil }
      result = next
    }
    return result
  }
}
