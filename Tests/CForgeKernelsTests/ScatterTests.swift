import CForgeKernels
import Testing

/// Updates put at computed places, against their definition and in any order of tiles.
@Suite struct ScatterTests {
  /// The sizes of a scatter; position strides of 0 repeat.
  struct Case: CustomStringConvertible, Sendable {
    var sizes: [Int]
    var counts: [Int]
    var axis: Int
    var split: Int
    var share = 1
    var repeats: Set<Int> = []
    var description: String { "\(sizes) by \(counts) along \(axis), split \(split)" }

    static let all = [
      Case(sizes: [1, 7], counts: [1, 13], axis: 1, split: 0),
      Case(sizes: [7, 1], counts: [13, 1], axis: 0, split: 1),
      Case(sizes: [7, 37], counts: [13, 37], axis: 0, split: 1, share: 16, repeats: [1]),
      Case(sizes: [7, 37], counts: [13, 29], axis: 0, split: 1, share: 16, repeats: [1]),
      Case(sizes: [7, 37], counts: [13, 37], axis: 0, split: 1, share: 16),
      Case(sizes: [11, 7], counts: [11, 13], axis: 1, split: 0),
      Case(sizes: [11, 7], counts: [11, 13], axis: 1, split: 0, repeats: [0]),
      Case(sizes: [11, 7], counts: [5, 13], axis: 1, split: 0, share: 2),
      Case(sizes: [11, 7], counts: [11, 3], axis: 1, split: 0, repeats: [1]),
      Case(sizes: [5, 7, 17], counts: [5, 9, 17], axis: 1, split: 2, share: 16, repeats: [2]),
      Case(sizes: [5, 7, 17], counts: [5, 9, 17], axis: 1, split: 0, share: 3, repeats: [0, 2]),
      Case(sizes: [5, 7, 17], counts: [3, 9, 11], axis: 1, split: 2, share: 4),
      Case(sizes: [2, 3, 4, 5], counts: [2, 2, 7, 3], axis: 2, split: 3, share: 2, repeats: [1]),
      Case(
        sizes: [2, 1, 2, 3, 2, 1, 2, 2], counts: [1, 1, 2, 5, 2, 1, 1, 2], axis: 3, split: 7,
        repeats: [4]),
    ]

    func eight(_ numbers: [Int]) -> (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) {
      let n = (numbers + Array(repeating: -99, count: 8)).map(Int64.init)
      return (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
    }

    private func strides(_ sizes: [Int]) -> [Int] {
      sizes.indices.map { sizes[($0 + 1)...].reduce(1, *) }
    }

    /// The sizes of the positions, their number, and their strides.
    var positions: (count: Int, strides: [Int]) {
      let own = counts.indices.map { repeats.contains($0) ? 1 : counts[$0] }
      let all = strides(own)
      return (own.reduce(1, *), own.indices.map { repeats.contains($0) ? 0 : all[$0] })
    }

    /// Calls `body` for each update in memory order with its place and that of its position, and
    /// with a function from an index along the axis to the place in the data.
    func forEachUpdate(_ body: (_ update: Int, _ position: Int, _ target: (Int) -> Int) -> Void) {
      let own = strides(sizes)
      for update in 0..<counts.reduce(1, *) {
        var (rest, index) = (update, [Int]())
        for stride in strides(counts) {
          index.append(rest / stride)
          rest %= stride
        }
        let position = zip(index, positions.strides).reduce(0) { $0 + $1.0 * $1.1 }
        body(update, position) { place in
          index.indices.reduce(0) { $0 + ($1 == axis ? place : index[$1]) * own[$1] }
        }
      }
    }
  }

  private func combined(_ a: Float, _ b: Float, _ kind: forge_scatter_combination) -> Float {
    switch kind {
    case FORGE_SCATTER_ADD: a + b
    case FORGE_SCATTER_MULTIPLY: a * b
    case FORGE_SCATTER_MINIMUM: a.isNaN || b.isNaN ? .nan : min(a, b)
    case FORGE_SCATTER_MAXIMUM: a.isNaN || b.isNaN ? .nan : max(a, b)
    default: b
    }
  }

  private static let hostile: [Float] = [
    .nan, .infinity, -.infinity, 3e38, -3e38, 0x1p-130, -0.0, 0, 1, -7,
  ]

  @Test("updates in order", arguments: Case.all, [false, true])
  func updates(test: Case, isHostile: Bool) {
    var random = SeededGenerator(seed: 53)
    func numbers(_ count: Int) -> [Float] {
      (0..<count).map { _ in
        let value = random.value()
        return isHostile && abs(value) < 0.5
          ? Self.hostile[Int.random(in: 0..<Self.hostile.count, using: &random)] : value
      }
    }
    let size = test.sizes[test.axis]
    let (positionCount, strides) = test.positions
    let data = numbers(test.sizes.reduce(1, *))
    let positions = (0..<positionCount).map { _ in
      Float(Int.random(in: -size..<size, using: &random))
    }
    let updates = numbers(test.counts.reduce(1, *))
    for kind in [
      FORGE_SCATTER_REPLACE, FORGE_SCATTER_ADD, FORGE_SCATTER_MULTIPLY, FORGE_SCATTER_MINIMUM,
      FORGE_SCATTER_MAXIMUM,
    ] {
      var wanted = data
      test.forEachUpdate { update, position, target in
        let place = Int(positions[position])
        let offset = target(place < 0 ? place + size : place)
        wanted[offset] = combined(wanted[offset], updates[update], kind)
      }
      for level in Level.available {
        var arguments = forge_scatter_arguments()
        arguments.positions.base = 1
        arguments.updates.base = 2
        arguments.out.base = 3
        arguments.rank = Int32(test.sizes.count)
        arguments.axis = Int32(test.axis)
        arguments.split = Int32(test.split)
        arguments.share = Int64(test.share)
        arguments.combination = Int32(kind.rawValue)
        arguments.sizes = test.eight(test.sizes)
        arguments.counts = test.eight(test.counts)
        arguments.position_strides = test.eight(strides)
        let out = Buffer(count: data.count)
        let call = Call(
          level.kernels.scatter, arguments,
          bases: [Buffer(data), Buffer(positions), Buffer(updates), out], out: out,
          tiles: forge_scatter_tiles)
        expectIndependentTiles(call, "\(level), \(test), \(kind.rawValue)")
        call.runDealt(workers: 3, random: &random)
        let found = (0..<data.count).map { out.pointer[$0] }
        let isEqual = zip(found, wanted).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
        #expect(isEqual, "\(level), \(test), \(kind.rawValue)")
      }
    }
  }

  /// The first position outside is recorded, whichever tile meets it; its update changes nothing.
  @Test("positions outside")
  func faults() {
    let cases: [(positions: [Float], found: Int?)] = [
      ([0, 3, -4], nil), ([0, 4, 9], 1), ([-5, 9, 0], 0), ([1, 2, .nan], 2),
      ([.infinity, 0, 0], 0), ([-0.5, 3.5, 1e30], 2),
    ]
    for level in Level.available {
      for (positions, found) in cases {
        var arguments = forge_scatter_arguments()
        arguments.positions.base = 1
        arguments.updates.base = 2
        arguments.out.base = 3
        (arguments.rank, arguments.axis, arguments.split) = (2, 0, 1)
        (arguments.share, arguments.fault_source) = (1, 5)
        arguments.combination = Int32(FORGE_SCATTER_ADD.rawValue)
        let test = Case(sizes: [4, 2], counts: [3, 2], axis: 0, split: 1)
        arguments.sizes = test.eight(test.sizes)
        arguments.counts = test.eight(test.counts)
        arguments.position_strides = test.eight([1, 0])
        let out = Buffer(count: 8)
        let bases = [
          Buffer(Array(repeating: 1, count: 8)), Buffer(positions),
          Buffer(Array(repeating: 2, count: 6)), out,
        ]
        var fault = forge_fault()
        for tiles in [1..<2, 0..<1] as [Range<Int64>] {
          run(level.kernels.scatter, arguments, bases: bases, fault: &fault, tiles: tiles)
        }
        #expect(fault.source == (found == nil ? 0 : 5) && fault.lock == 0, "\(positions)")
        if let found {
          #expect(fault.index == Int64(found))
          #expect(fault.value.bitPattern == positions[found].bitPattern)
        }
        let inside = positions.count { $0 > -5 && $0 < 4 }
        let sum = (0..<8).reduce(Float(0)) { $0 + out.pointer[$1] }
        #expect(sum == Float(8 + 4 * inside), "\(level), \(positions)")
        withExtendedLifetime(bases) {}
      }
    }
  }
}
