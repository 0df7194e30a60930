import NIOCore
import Synchronization

/// The requests that are being answered, so that they end when their client goes.
package final class ClientTable: Sendable {
  private struct State {
    var cancellations: [ObjectIdentifier: @Sendable () -> Void] = [:]
    /// The channels whose client has closed its half while the channel is still open.
    var halfClosed: Set<ObjectIdentifier> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls `cancel` when the client of a channel closes it, until ``end(_:)``.
  package func begin(_ channel: any Channel, cancel: @escaping @Sendable () -> Void) {
    let hasGone = state.withLock { state in
      state.cancellations[ObjectIdentifier(channel)] = cancel
      return state.halfClosed.contains(ObjectIdentifier(channel))
    }
    if hasGone || !channel.isActive { cancel() }
  }

  /// The request of a channel has been answered.
  package func end(_ channel: any Channel) {
    state.withLock { _ = $0.cancellations.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  /// The client of a channel has closed its half: it waits for no answer.
  func halfClosed(_ channel: any Channel) {
    let cancel = state.withLock { state in
      state.halfClosed.insert(ObjectIdentifier(channel))
      return state.cancellations[ObjectIdentifier(channel)]
    }
    cancel?()
  }

  /// A channel has been closed.
  func closed(_ channel: any Channel) {
    let cancel = state.withLock { state in
      state.halfClosed.remove(ObjectIdentifier(channel))
      return state.cancellations[ObjectIdentifier(channel)]
    }
    cancel?()
  }
}
