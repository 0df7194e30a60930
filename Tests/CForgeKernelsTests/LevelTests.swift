import CForgeKernels
import Testing

@Suite struct LevelTests {
  @Test("levels that this machine lacks are named, not passed over in silence")
  func report() {
    for level in Level.all where !level.isAvailable {
      print("CForgeKernelsTests: this machine lacks \(level): its kernels are NOT tested")
    }
    #expect(Level.available.contains { $0.rawValue == FORGE_SCALAR.rawValue })
    #expect(Level.available.contains { $0.rawValue == FORGE_BASELINE.rawValue })
  }

  @Test("every table names its level and has every kernel, but for algorithms that scalar lacks")
  func tables() {
    for level in Level.available {
      let table = level.kernels
      #expect(table.level.rawValue == level.rawValue)
      #expect(String(cString: table.name) == level.description)
      #expect(
        forge_facts(forge_level(level.rawValue)).map { String(cString: $0.pointee.name) }
          == level.description)
      #expect(forge_level_named(level.description) == Int32(level.rawValue))
      let kernels: [forge_kernel?] = [
        table.block, table.unblock, table.clear_halo, table.fill, table.copy, table.copy_channels,
        table.gather_channels, table.convolution, table.plain_convolution,
        table.grouped_convolution, table.depthwise, table.pooling, table.activation, table.affine,
        table.binary, table.softmax, table.resize,
        table.copy_plain, table.binary_plain, table.activation_plain, table.softmax_plain,
      ]
      let fast: [forge_kernel?] = [
        table.winograd, table.winograd_input, table.winograd_output, table.strassen,
      ]
      #expect(!kernels.contains { $0 == nil })
      let isScalar = level.rawValue == FORGE_SCALAR.rawValue
      #expect(fast.allSatisfy { ($0 == nil) == isScalar })
      #expect(
        MemoryLayout<forge_kernel_table>.size == (kernels.count + fast.count + 2)
          * MemoryLayout<Int>.size,
        "a kernel is missing from the lists above")
    }
  }

  @Test("the best level is the last that is there")
  func best() {
    #expect(forge_best_level().rawValue == Level.available.last?.rawValue)
  }

  @Test("names and levels that there are not")
  func unknown() {
    #expect(forge_level_named("avx") == -1)
    #expect(forge_level_named("") == -1)
    #expect(forge_level_named(nil) == -1)
    #expect(forge_kernels(forge_level(17)) == nil)
    #expect(forge_facts(forge_level(17)) == nil)
  }
}
