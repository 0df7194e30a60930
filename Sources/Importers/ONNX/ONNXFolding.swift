import Forge

/// Computes nodes of known values while importing: shapes, axes, counts and weights.
enum ONNXFolding {
  /// Folds a node and returns whether it did.
  ///
  /// The call then has its results.
  typealias Fold = @Sendable (inout ONNXCall, [HostTensor]) throws -> Bool

  /// Computes a node if all that it needs is known.
  ///
  /// Large results can be let go and computed again (``FoldedValues``).
  static func fold(_ call: inout ONNXCall) throws -> Bool {
    let stated = call
    guard try compute(&call) else { return false }
    for index in call.outputs.indices {
      guard case .host(let tensor)? = call.outputs[index] else { continue }
      let operands = stated.inputs.indices.compactMap { stated.host($0) }
      call.outputs[index] = .host(
        FoldedValues.holding(tensor, of: operands) {
          var again = stated
          _ = try compute(&again)
          guard case .host(let tensor)? = again.outputs[index] else {
            throw NodeFailure.invalid("a constant that is not computed again")
          }
          return tensor
        })
    }
    return true
  }

  private static func compute(_ call: inout ONNXCall) throws -> Bool {
    let fold: Fold
    switch ONNXOperators.find(call.node)?.fold {
    case .always(let always)?: return try always(&call, [])
    case .known(let known)?, .rows(let known)?: fold = known
    case nil, .some(.none): return false
    }
    guard call.host(0) != nil else { return false }
    var hosts: [HostTensor] = []
    for input in call.inputs {
      // An input that is left out is known too; folds ask for it by `call.has`.
      guard case .host(let tensor)? = input else {
        if input == nil { continue }
        return false
      }
      hosts.append(tensor)
    }
    return try fold(&call, hosts)
  }

  /// Sets the only result.
  static func set(_ call: inout ONNXCall, _ tensor: HostTensor) { call.set(.host(tensor)) }

  /// Sets the result if there is one; returns whether there is.
  static func set(_ call: inout ONNXCall, ifThere tensor: HostTensor?) -> Bool {
    guard let tensor else { return false }
    call.set(.host(tensor))
    return true
  }
}
