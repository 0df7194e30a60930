import Forge
import ForgeLoaders

/// The arguments of a call, by the names of the parameters of Keras's method `call`.
///
/// Keras 3 writes a call as it was made: the arguments without a name first, in the order of the
/// parameters, then those with a name. Keras 1 and 2 name all but the first. An argument that is
/// `null` counts as absent.
struct KerasArguments: Sendable {
  private let values: [String: KerasValue]

  /// Reads a call by its parameters.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - parameters: the parameters of the layer's method `call`, in order.
  /// - Throws: ``KerasFault``: `invalid` for arguments that the method does not take,
  ///   `unsupported` for a tensor with the name of no parameter.
  init(_ call: KerasCall, parameters: [String]) throws(KerasFault) {
    guard call.arguments.count <= parameters.count else {
      throw .invalid(
        "the call has more arguments than the layer takes", received: "\(call.arguments.count)",
        needs: "at most \(parameters.count)")
    }
    if !call.arguments.isEmpty {
      for (name, value) in call.keywords.sorted(by: { $0.key < $1.key })
      where !parameters.contains(name) && !value.tensors.isEmpty {
        throw .unsupported("\(name) of a call")
      }
    }
    var values = call.keywords
    for (name, value) in zip(parameters, call.arguments) where !value.isNull {
      guard values[name]?.isNull ?? true else {
        throw .invalid("an argument of the call is given twice", received: name)
      }
      values[name] = value
    }
    self.values = values.filter { !$0.value.isNull }
  }

  /// The tensors of an argument, in order; none if it is absent.
  func tensors(_ name: String) throws(KerasFault) -> [KerasTensor] {
    guard let value = values[name] else { return [] }
    guard let tensors = value.onlyTensors else {
      throw .unsupported("\(name) of a call that is not a tensor of the model")
    }
    return tensors
  }

  /// The tensor of an argument; `nil` if it is absent.
  func tensor(_ name: String) throws(KerasFault) -> KerasTensor? {
    let tensors = try tensors(name)
    guard tensors.count <= 1 else {
      throw .invalid(
        "an argument of the call is several tensors", received: "\(name): \(tensors.count)",
        needs: "1")
    }
    return tensors.first
  }

  /// A Boolean among the arguments, which is false if it is absent.
  func flag(_ name: String) throws(KerasFault) -> Bool {
    guard let value = values[name] else { return false }
    // Keras 1 and 2 may write 0 and 1.
    guard let flag = value.json?.flag ?? value.json?.wholeNumber.map({ $0 != 0 }) else {
      throw .invalid("\(name) is not a Boolean", needs: "true or false")
    }
    return flag
  }

  /// Refuses arguments that Forge has no counterpart of.
  func refuse(_ names: String...) throws(KerasFault) {
    for name in names where values[name] != nil && values[name]?.json?.flag != false {
      throw .unsupported("\(name) of a call")
    }
  }

  /// Refuses a call of a layer that computes something else in training, if it is such a call.
  func refuseTraining(of layer: KerasLayer) throws(KerasFault) {
    guard layer.differsInTraining, try flag("training") else { return }
    throw .unsupported("training true of a call")
  }
}

extension KerasValue {
  /// The tensors of a value that is made of tensors alone; `nil` for any other.
  fileprivate var onlyTensors: [KerasTensor]? {
    switch self {
    case .tensor(let tensor): return [tensor]
    case .json: return nil
    case .list(let list):
      let tensors = list.compactMap(\.onlyTensors)
      return tensors.count == list.count ? tensors.flatMap(\.self) : nil
    }
  }
}
