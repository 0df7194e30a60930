import Forge
import Foundation

/// A layer's body that waits inside a prediction until a test lets it go.
///
/// `@unchecked Sendable`: the state is accessed only under the lock.
final class PredictionGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false
  private var entered = 0

  /// A layer that returns its input as soon as the gate is open.
  var layer: Custom {
    Custom { [self] inputs, output in
      pass()
      for index in output.indices { output[index] = inputs[0][index] }
    }
  }

  /// Lets everybody through from now on.
  func open() {
    condition.withLock { isOpen = true }
    condition.broadcast()
  }

  /// Waits until a prediction has come to the gate.
  func waitForPrediction() async throws {
    while condition.withLock({ entered }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func pass() {
    condition.lock()
    entered += 1
    while !isOpen { condition.wait() }
    condition.unlock()
  }
}
