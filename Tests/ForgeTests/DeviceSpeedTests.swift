import Forge
import Testing

/// Lower bounds of execution time from the machine's speed.
@Suite struct DeviceSpeedTests {
  @Test func timeBoundIsTheSlowerResource() {
    let speed = Device.Speed(
      instructionSet: .avx2, threads: 1, gigaflops: 100, gigabytesPerSecond: 20)
    let multiplying = speed.bound(multiplyAdds: 5_000_000, bytes: 1_000_000)
    #expect(multiplying.by == .compute)
    #expect(abs(multiplying.seconds - 1e-4) < 1e-12)
    let reading = speed.bound(multiplyAdds: 1_000_000, bytes: 4_000_000)
    #expect(reading.by == .memory)
    #expect(abs(reading.seconds - 2e-4) < 1e-12)
  }

  /// Every available instruction set is measured, and no other.
  @Test func availableInstructionSetsAreMeasured() {
    let there = Device.all[0].instructionSets
    for set in CompileOptions.InstructionSet.allCases {
      let speed = Device.measuredSpeed(instructionSet: set)
      #expect((speed != nil) == there.contains(set.rawValue))
      if let speed {
        #expect(speed.instructionSet == set && speed.threads == 1)
        #expect(speed.gigaflops > 0 && speed.gigaflops.isFinite)
        #expect(speed.gigabytesPerSecond > 0 && speed.gigabytesPerSecond.isFinite)
      }
    }
  }

  @Test func threadsAreClampedToMaximum() {
    #expect(Device.measuredSpeed(threads: 0, instructionSet: .scalar)?.threads == 1)
    #expect(Device.measuredSpeed(threads: 2)?.threads == 2)
  }
}
