import ForgeSystem
import Testing

/// Memory that one parameter after another is read into.
@Suite struct FloatPoolTests {
  /// Where a memory of so many floats from a pool is, and its room; it returns to the pool.
  private func place(_ count: Int, _ pool: FloatPool) throws -> (start: Int, capacity: Int) {
    let memory = try FloatMemory(count: count, from: pool)
    #expect(memory.floats.count == count)
    memory.floats.update(repeating: 1)
    return (Int(bitPattern: memory.floats.baseAddress), memory.capacity)
  }

  @Test func smallerOnesTakeTheSamePlace() throws {
    let pool = FloatPool()
    let first = try place(1001, pool)
    #expect(first.capacity == 1001)
    for count in [1001, 7, 0, 1000] {
      let next = try place(count, pool)
      #expect(next.start == first.start && next.capacity == 1001, "\(count)")
    }
    #expect(try place(1002, pool).capacity == 1002)
  }

  @Test func twoAtATimeAreApart() throws {
    let pool = FloatPool()
    _ = try place(64, pool)
    let first = try FloatMemory(count: 64, from: pool)
    let second = try FloatMemory(count: 64, from: pool)
    first.floats.update(repeating: 1)
    second.floats.update(repeating: 2)
    #expect(first.floats.allSatisfy { $0 == 1 } && second.floats.allSatisfy { $0 == 2 })
  }

  @Test func largePiecesAreNotKept() throws {
    let pool = FloatPool()
    let most = FloatPool.mostBytes / MemoryLayout<Float>.stride
    _ = try FloatMemory(count: most + 1, from: pool)
    #expect(try place(1, pool).capacity == 1)
    _ = try FloatMemory(count: most, from: pool)
    #expect(try place(1, pool).capacity == most)
  }

  @Test func closedPoolsKeepNothing() throws {
    let pool = FloatPool()
    _ = try place(100, pool)
    let held = try FloatMemory(count: 50, from: pool)
    pool.close()
    #expect(held.capacity == 100)
    #expect(try place(10, pool).capacity == 10)
    #expect(try place(5, pool).capacity == 5)
  }

  @Test func sizesBeyondAllMemoryThrow() throws {
    let pool = FloatPool()
    _ = try place(100, pool)
    for count in [Int.max, Int.max / 4, 1 << 60] {
      #expect(throws: NoMemory.self) { try FloatMemory(count: count, from: pool) }
    }
  }
}
