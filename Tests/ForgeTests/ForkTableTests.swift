import Foundation
import Testing

/// Forks in the midst of everything that the table in Docs/Concurrency.md has.
@Suite(.serialized) struct ForkTableTests {
  /// Children predict with what was made before the fork, and make anew, whatever other threads were doing.
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
