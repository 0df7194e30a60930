import Foundation
import Testing

/// Forks during all work listed in the table of Docs/Concurrency.md.
@Suite(.serialized) struct ForkTableTests {
  /// Children use objects made before the fork and create new ones, whatever other threads were
  /// doing.
  @Test(arguments: ForkStorm.Work.allCases) func forkDuringConcurrentWork(
    _ work: ForkStorm.Work
  ) async {
    await #expect(processExitsWith: .success) { [work] in
      // Those that wait for nothing are seldom hit.
      let faults = try ForkStorm().run(work, forks: work == .knownSize ? 300 : 30)
      if !faults.isEmpty { print("forks during \(work.rawValue): \(faults)") }
      fflush(nil)
      // Other threads are still at work, and would not survive the end of the process in order.
      _exit(faults.isEmpty ? 0 : 1)
    }
  }
}
