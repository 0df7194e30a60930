import CForgeKernels
import Testing

/// A C array of FORGE_MAX_RANK numbers, as Swift sees it.
private typealias Eight = (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64)

private func eight(_ numbers: [Int]) -> Eight {
  let n = (numbers + [Int](repeating: -99, count: 8)).map(Int64.init)
  return (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
}

/// Strides of a contiguous tensor.
private func contiguous(_ sizes: [Int]) -> [Int] {
  var strides = [Int](repeating: 1, count: sizes.count)
  for d in sizes.indices.dropLast().reversed() { strides[d] = strides[d + 1] * sizes[d + 1] }
  return strides
}

/// Every index of a tensor, last axis fastest.
private func indices(_ sizes: [Int]) -> [[Int]] {
  sizes.reduce([[]]) { heads, size in heads.flatMap { head in (0..<size).map { head + [$0] } } }
}

private func dot(_ a: [Int], _ b: [Int]) -> Int { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

private func place(base: Int, offset: Int, imageStride: Int = 0) -> forge_place {
  forge_place(
    base: Int32(base), reserved: 0, offset: Int64(offset), image_stride: Int64(imageStride))
}

@Suite struct CopyPlainTests {
  struct Case: CustomStringConvertible, Sendable {
    var sizes: [Int]
    var from: [Int]
    var to: [Int]
    var description: String { "\(sizes), strides \(from) to \(to)" }

    static let all = [
      Case(sizes: [1], from: [1], to: [1]),
      Case(sizes: [17], from: [1], to: [1]),
      Case(sizes: [17], from: [3], to: [2]),
      Case(sizes: [4, 6], from: [6, 1], to: [6, 1]),
      Case(sizes: [4, 6], from: [1, 4], to: [6, 1]),
      Case(sizes: [4, 6], from: [6, 1], to: [1, 4]),
      Case(sizes: [4, 6], from: [9, 1], to: [6, 1]),
      Case(sizes: [3, 4, 5], from: [20, 5, 1], to: [40, 10, 2]),
      Case(sizes: [3, 4, 5], from: [5, 15, 1], to: [20, 5, 1]),
      Case(sizes: [3, 1, 5, 1], from: [5, 0, 1, 7], to: [10, 9, 2, 0]),
      Case(sizes: [2, 3, 2, 3], from: [36, 6, 3, 1], to: [18, 6, 3, 1]),
      Case(
        sizes: [2, 1, 3, 2, 1, 2, 3, 2], from: [72, 0, 1, 12, 5, 6, 24, 3],
        to: contiguous([2, 1, 3, 2, 1, 2, 3, 2])),
      Case(sizes: [0, 3], from: [3, 1], to: [3, 1]),
      Case(sizes: [3, 0], from: [1, 1], to: [1, 1]),
      Case(sizes: [], from: [], to: []),
      Case(sizes: [5, 7], from: [0, 1], to: [7, 1]),
      Case(sizes: [4, 3], from: [-3, 1], to: [3, 1]),
    ]
  }

  @Test("copies and transpositions", arguments: Case.all)
  func copy(test: Case) {
    var random = SeededGenerator(seed: 51)
    for level in Level.available {
      let input = Buffer(random.values(600))
      let out = Buffer(count: 600)
      let arguments = forge_copy_plain_arguments(
        in: place(base: 0, offset: 20, imageStride: 280),
        out: place(base: 1, offset: 3, imageStride: 290), rank: Int32(test.sizes.count),
        sizes: eight(test.sizes), in_strides: eight(test.from), out_strides: eight(test.to))
      let call = Call(
        level.kernels.copy_plain, arguments, bases: [input, out], image: 1, out: out,
        tiles: forge_copy_plain_tiles)
      var wanted = out.bits
      for index in indices(test.sizes) {
        wanted[3 + 290 + dot(index, test.to)] =
          input.pointer[20 + 280 + dot(index, test.from)].bitPattern
      }
      #expect(call.tiles == Int64(test.sizes.first ?? 1))
      expectIndependentTiles(call, "\(level), \(test)")
      #expect(out.bits == wanted, "\(level), \(test)")
    }
  }
}

@Suite struct BinaryPlainTests {
  struct Case: CustomStringConvertible, Sendable {
    var sizes: [Int]
    var a: [Int]
    var b: [Int]
    var description: String { "\(sizes), strides \(a) and \(b)" }

    static let all = [
      Case(sizes: [1], a: [1], b: [1]),
      Case(sizes: [15], a: [1], b: [1]),
      Case(sizes: [16], a: [1], b: [0]),
      Case(sizes: [33], a: [0], b: [2]),
      Case(sizes: [4, 17], a: [17, 1], b: [17, 1]),
      Case(sizes: [4, 17], a: [17, 1], b: [0, 1]),
      Case(sizes: [4, 17], a: [17, 1], b: [1, 0]),
      Case(sizes: [4, 17], a: [1, 4], b: [20, 1]),
      Case(sizes: [3, 4, 5], a: [20, 5, 1], b: [20, 5, 1]),
      Case(sizes: [3, 4, 5], a: [20, 5, 1], b: [5, 0, 1]),
      Case(sizes: [3, 4, 5], a: [0, 5, 1], b: [0, 0, 0]),
      Case(
        sizes: [2, 1, 3, 2, 1, 2, 3, 2], a: contiguous([2, 1, 3, 2, 1, 2, 3, 2]),
        b: [0, 0, 12, 6, 0, 0, 2, 1]),
      Case(sizes: [], a: [], b: []),
      Case(sizes: [2, 0, 3], a: [3, 3, 1], b: [3, 3, 1]),
    ]
  }

  private func check(
    _ test: Case, operation: forge_binary_operator, activation: Activation = .linear,
    right values: [Float]? = nil
  ) {
    var random = SeededGenerator(seed: 52)
    let count = test.sizes.reduce(1, *)
    for level in Level.available {
      let left = Buffer(random.values(400))
      let right = Buffer(values ?? random.values(400))
      let out = Buffer(count: count + 30)
      let arguments = forge_binary_plain_arguments(
        a: place(base: 0, offset: 2, imageStride: 150),
        b: place(base: 1, offset: 5, imageStride: 149),
        out: place(base: 2, offset: 3, imageStride: 11), rank: Int32(test.sizes.count),
        operation: Int32(operation.rawValue), sizes: eight(test.sizes),
        a_strides: eight(test.a), b_strides: eight(test.b), activation: activation.c)
      let isFurther = furtherOperators.contains(operation)
      let kernels = level.kernels
      guard let kernel = isFurther ? kernels.combine_plain : kernels.binary_plain else {
        Issue.record("\(level) lacks the kernel")
        continue
      }
      let call = Call(
        kernel, arguments, bases: [left, right, out], image: 1, out: out,
        tiles: forge_binary_plain_tiles)
      let before = out.bits
      var expected = Expected()
      for index in indices(test.sizes) {
        let x = Double(left.pointer[152 + dot(index, test.a)])
        let y = Double(right.pointer[154 + dot(index, test.b)])
        let value = combine(x, y, operation)
        expected.append(
          activation.reference(value),
          tolerance: activation.tolerance(value, error: combineTolerance(x, y, operation)))
      }
      expectIndependentTiles(call, "\(level), \(test), \(activation)")
      let result = (0..<count).map { out.pointer[14 + $0] }
      if let wrong = difference(result, expected, place: { "\($0)" }) {
        Issue.record("\(level), \(test), operation \(operation.rawValue), \(activation): \(wrong)")
      }
      let after = out.bits
      #expect(after.prefix(14) == before.prefix(14) && after.suffix(16) == before.suffix(16))
    }
  }

  @Test("broadcasting by strides", arguments: Case.all)
  func broadcasting(test: Case) {
    for operation in binaryOperators + furtherOperators { check(test, operation: operation) }
  }

  @Test("a constant exponent, 2 among them", arguments: [2, 3, -1, 0, 0.5] as [Float])
  func exponents(exponent: Float) {
    let exponents = [Float](repeating: exponent, count: 400)
    for test in Case.all { check(test, operation: FORGE_POWER, right: exponents) }
  }

  @Test("an exponent of 2 only at first")
  func mixedExponents() {
    let exponents = [Float](repeating: 2, count: 155) + [Float](repeating: 3, count: 245)
    check(Case(sizes: [3, 5], a: [5, 1], b: [0, 1]), operation: FORGE_POWER, right: exponents)
    check(Case(sizes: [3, 5], a: [5, 1], b: [1, 0]), operation: FORGE_POWER, right: exponents)
  }

  @Test("activations", arguments: Activation.all)
  func activations(activation: Activation) {
    check(
      Case(sizes: [3, 37], a: [37, 1], b: [0, 1]), operation: FORGE_ADD, activation: activation)
    check(
      Case(sizes: [2, 3, 4], a: [12, 4, 1], b: [0, 1, 3]), operation: FORGE_MULTIPLY,
      activation: activation)
  }
}

@Suite struct SelectTests {
  struct Case: CustomStringConvertible, Sendable {
    var sizes: [Int]
    var condition: [Int]
    var yes: [Int]
    var no: [Int]
    var description: String { "\(sizes), strides \(condition), \(yes), \(no)" }

    static let all = [
      Case(sizes: [1], condition: [0], yes: [0], no: [0]),
      Case(sizes: [37], condition: [1], yes: [1], no: [1]),
      Case(sizes: [37], condition: [1], yes: [0], no: [1]),
      Case(sizes: [37], condition: [1], yes: [1], no: [0]),
      Case(sizes: [37], condition: [0], yes: [1], no: [2]),
      Case(sizes: [5, 17], condition: [17, 1], yes: [17, 1], no: [17, 1]),
      Case(sizes: [5, 17], condition: [1, 0], yes: [0, 1], no: [17, 1]),
      Case(sizes: [3, 4, 5], condition: [0, 5, 1], yes: [20, 5, 1], no: [0, 0, 0]),
      Case(sizes: [3, 4, 5], condition: [4, 1, 0], yes: [0, 0, 1], no: [5, 0, 1]),
      Case(
        sizes: [2, 1, 3, 2, 1, 2, 3, 2], condition: contiguous([2, 1, 3, 2, 1, 2, 3, 2]),
        yes: [0, 0, 12, 6, 0, 0, 2, 1], no: [1, 0, 0, 2, 0, 0, 0, 4]),
      Case(sizes: [], condition: [], yes: [], no: []),
      Case(sizes: [2, 0, 3], condition: [3, 3, 1], yes: [3, 3, 1], no: [0, 0, 0]),
    ]
  }

  @Test("broadcasting by strides; NaN is true", arguments: Case.all)
  func values(test: Case) throws {
    let kernels = try #require(Level.available.first).kernels
    var random = SeededGenerator(seed: 53)
    let truths: [Float] = [0, 1, -0.0, .nan, 0, -3, 0, .infinity, 0, .leastNonzeroMagnitude]
    let condition = Buffer((0..<400).map { _ in truths[Int(random.next() % 10)] })
    let yes = Buffer(random.values(400))
    let no = Buffer(random.values(400))
    let count = test.sizes.reduce(1, *)
    let out = Buffer(count: count + 30)
    let arguments = forge_select_arguments(
      condition: place(base: 0, offset: 2, imageStride: 150),
      yes: place(base: 1, offset: 5, imageStride: 149),
      no: place(base: 2, offset: 1, imageStride: 151),
      out: place(base: 3, offset: 3, imageStride: 11), rank: Int32(test.sizes.count),
      sizes: eight(test.sizes), condition_strides: eight(test.condition),
      yes_strides: eight(test.yes), no_strides: eight(test.no))
    let call = Call(
      kernels.select, arguments, bases: [condition, yes, no, out], image: 1, out: out,
      tiles: forge_select_tiles)
    let before = out.bits
    let expected = indices(test.sizes).map { index in
      condition.pointer[152 + dot(index, test.condition)] != 0
        ? yes.pointer[154 + dot(index, test.yes)] : no.pointer[152 + dot(index, test.no)]
    }
    expectIndependentTiles(call, "\(test)")
    #expect((0..<count).map { out.pointer[14 + $0] } == expected)
    let after = out.bits
    #expect(after.prefix(14) == before.prefix(14) && after.suffix(16) == before.suffix(16))
  }
}

@Suite struct RunTests {
  /// The second of two steps reads the first one's output.
  @Test("a plan's steps run in order")
  func steps() throws {
    let kernels = try #require(Level.available.last).kernels
    let memory = Buffer([1, -2, 3, -4, 5])
    let between = Buffer(count: 5)
    let out = Buffer(count: 5)
    var relu = forge_activation_plain_arguments()
    relu.out.base = 1
    relu.count = 5
    relu.activation = Activation.relu.c
    var twice = forge_binary_plain_arguments()
    twice.a.base = 1
    twice.b.base = 1
    twice.out.base = 2
    twice.rank = 1
    twice.operation = Int32(FORGE_ADD.rawValue)
    twice.sizes.0 = 5
    twice.a_strides.0 = 1
    twice.b_strides.0 = 1
    let bases: [UnsafeMutablePointer<Float>?] = [memory.pointer, between.pointer, out.pointer]
    bases.withUnsafeBufferPointer { bases in
      withUnsafePointer(to: relu) { relu in
        withUnsafePointer(to: twice) { twice in
          var frame = forge_frame(
            bases: bases.baseAddress, image: 0, crops: nil, worker: 0, calls: 0, round: 0,
            fault: nil)
          let steps = [
            forge_step(
              kernel: kernels.activation_plain, arguments: relu,
              tiles: forge_activation_plain_tiles(relu), most_threads: 1, parts: 1,
              pieces: 1, rounds: 1),
            forge_step(
              kernel: kernels.binary_plain, arguments: twice,
              tiles: forge_binary_plain_tiles(twice), most_threads: 1, parts: 1,
              pieces: 1, rounds: 1),
          ]
          forge_run(steps, 2, &frame)
        }
      }
    }
    #expect((0..<5).map { out.pointer[$0] } == [2, 0, 6, 0, 10])
  }
}
