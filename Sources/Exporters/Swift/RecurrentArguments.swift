import Forge
import ForgeLayers
import ForgeOperations
import ForgeShapes

/// A recurrent layer that can be written.
typealias SwiftRecurrentLayer = RecurrentLayer & SwiftLayer

extension BuiltInRecurrentLayer {
  var units: Int { recurrence.rule.units }
  var returnSequences: Bool { recurrence.returnsSequences }
  var activation: ActivationFunction { recurrence.activation }
  var recurrentActivation: ActivationFunction { recurrence.recurrentActivation }
  var useBias: Bool { recurrence.useBias }
  var peepholes: Bool { recurrence.peepholes }
  var projection: Int? { recurrence.projection }
  var resetAfter: Bool { recurrence.resetAfter }
  var isReversed: Bool { recurrence.rule.isReversed }
  var stateful: Bool { recurrence.isStateful }
  var masked: Bool { recurrence.masked }
  var form: RecurrentForm { recurrence.form }
}

extension ForgeLayers.Bidirectional {
  /// The layer of the first direction, of which a recurrence is kept.
  var layer: any SwiftRecurrentLayer { recurrence.layer(recurrence.form) }
}

extension Recurrence {
  fileprivate var useBias: Bool { bias != .none }
  fileprivate var peepholes: Bool { rule.optional.contains(.peepholes) }
  fileprivate var projection: Int? { rule.optional.contains(.projection) ? rule.outputs : nil }
  fileprivate var masked: Bool { rule.optional.contains(.mask) }

  fileprivate var activation: ActivationFunction {
    switch rule.cell {
    case .simple(let function): function
    case .lstm(_, let cell, _, _): cell
    case .gru(_, let candidate, _): candidate
    }
  }

  fileprivate var recurrentActivation: ActivationFunction {
    switch rule.cell {
    case .simple(let function): function
    case .lstm(let gates, _, _, _), .gru(let gates, _, _): gates
    }
  }

  fileprivate var resetAfter: Bool {
    if case .gru(_, _, let resetsAfter) = rule.cell { resetsAfter } else { true }
  }

  /// The form with which a layer has this recurrence, which does not name it; `.keras` if there is
  /// none, so the rebuilt layer differs from this one.
  fileprivate var form: RecurrentForm {
    RecurrentForm.allCases.first { layer($0).recurrence == self } ?? .keras
  }

  /// A layer with these arguments.
  fileprivate func layer(_ form: RecurrentForm) -> any SwiftRecurrentLayer {
    switch rule.cell {
    case .simple:
      SimpleRNN(
        units: rule.units, returnSequences: returnsSequences, activation: activation,
        useBias: useBias, isReversed: rule.isReversed, stateful: isStateful, masked: masked,
        form: form)
    case .lstm:
      LSTM(
        units: rule.units, returnSequences: returnsSequences, activation: activation,
        recurrentActivation: recurrentActivation, useBias: useBias, peepholes: peepholes,
        projection: projection, isReversed: rule.isReversed, stateful: isStateful, masked: masked,
        form: form)
    case .gru:
      GRU(
        units: rule.units, returnSequences: returnsSequences, activation: activation,
        recurrentActivation: recurrentActivation, useBias: useBias, resetAfter: resetAfter,
        isReversed: rule.isReversed, stateful: isStateful, masked: masked, form: form)
    }
  }
}
