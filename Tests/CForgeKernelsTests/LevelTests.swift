import CForgeKernels
import Testing

@Suite struct LevelTests {
  @Test("unavailable levels are reported")
  func report() {
    for level in Level.all where !level.isAvailable {
      print("CForgeKernelsTests: this machine lacks \(level): its kernels are NOT tested")
    }
    #expect(Level.available.contains { $0.rawValue == FORGE_SCALAR.rawValue })
    #expect(Level.available.contains { $0.rawValue == FORGE_BASELINE.rawValue })
  }

  @Test("every table has its level's name and required kernels")
  func tables() {
    for level in Level.available {
      let table = level.kernels
      #expect(table.level.rawValue == level.rawValue)
      #expect(String(cString: table.name) == level.description)
      #expect(
        forge_facts(forge_level(level.rawValue)).map { String(cString: $0.pointee.name) }
          == level.description)
      #expect(forge_level_named(level.description) == Int32(level.rawValue))
      for kernel in level.list {
        #expect(
          kernel.function != nil || kernel.is_optional != 0,
          "\(level) lacks \(String(cString: kernel.name))")
      }
      let isScalar = level.rawValue == FORGE_SCALAR.rawValue
      #expect((table.winograd == nil) == isScalar)
      #expect((table.strassen == nil) == isScalar)
    }
  }

  @Test("the kernel list matches the fields of both tables")
  func list() {
    for level in Level.available {
      var table = level.kernels
      var narrow = forge_precision_kernels(forge_level(level.rawValue))
      let fields = withUnsafeBytes(of: &table) { table in
        withUnsafeBytes(of: &narrow) { narrow in
          // The level and its name come first.
          Array(table.bindMemory(to: Int.self)[2...]) + Array(narrow.bindMemory(to: Int.self))
        }
      }
      #expect(level.list.map { unsafeBitCast($0.function, to: Int.self) } == fields)
      #expect(Set(level.list.map { String(cString: $0.name) }).count == fields.count)
    }
  }

  @Test("the best level is the last available")
  func best() {
    #expect(forge_best_level().rawValue == Level.available.last?.rawValue)
  }

  @Test("unknown names and levels")
  func unknown() {
    #expect(forge_level_named("avx") == -1)
    #expect(forge_level_named("") == -1)
    #expect(forge_level_named(nil) == -1)
    #expect(forge_kernels(forge_level(17)) == nil)
    #expect(forge_facts(forge_level(17)) == nil)
  }
}
