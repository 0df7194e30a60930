import CForgeKernels
import Testing

@Suite struct MatrixProductTests {
  struct Case: CustomStringConvertible, Sendable {
    var rows: Int, inner: Int, columns: Int
    /// The sizes of the batch, and the strides of the factors in matrices.
    var batch: [Int] = []
    var left: [Int] = []
    var right: [Int] = []
    var description: String { "\(batch) \(rows)×\(inner)×\(columns)" }

    /// Around the sizes of register tiles, panels and tiles of threads.
    static let all = [
      Case(rows: 1, inner: 1, columns: 1), Case(rows: 1, inner: 17, columns: 35),
      Case(rows: 14, inner: 5, columns: 32), Case(rows: 28, inner: 3, columns: 48),
      Case(rows: 29, inner: 130, columns: 47), Case(rows: 30, inner: 257, columns: 16),
      Case(rows: 85, inner: 7, columns: 193), Case(rows: 169, inner: 128, columns: 33),
      Case(rows: 31, inner: 129, columns: 1), Case(rows: 3, inner: 400, columns: 31),
      Case(rows: 5, inner: 4, columns: 18, batch: [2, 3], left: [1, 0], right: [0, 1]),
      Case(rows: 33, inner: 9, columns: 17, batch: [3], left: [0], right: [1]),
    ]
  }

  @Test("against double precision", arguments: Case.all)
  func product(test: Case) {
    var random = SeededGenerator(seed: 61)
    let (rows, inner, columns) = (test.rows, test.inner, test.columns)
    let leftCount = 1 + zip(test.batch, test.left).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
    let rightCount = 1 + zip(test.batch, test.right).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
    let a = random.values(leftCount * rows * inner)
    let b = random.values(rightCount * inner * columns)
    let batches = test.batch.reduce(1, *)
    var expected = Expected()
    for batch in 0..<batches {
      var (rest, left, right) = (batch, 0, 0)
      for axis in test.batch.indices.reversed() {
        left += rest % test.batch[axis] * test.left[axis] * rows * inner
        right += rest % test.batch[axis] * test.right[axis] * inner * columns
        rest /= test.batch[axis]
      }
      for i in 0..<rows {
        for j in 0..<columns {
          var (sum, magnitude) = (0.0, 0.0)
          for k in 0..<inner {
            let product = Double(a[left + i * inner + k]) * Double(b[right + k * columns + j])
            sum += product
            magnitude += abs(product)
          }
          expected.append(sum, tolerance: tolerance(terms: inner, magnitude: magnitude))
        }
      }
    }
    for level in Level.available {
      let out = Buffer(count: batches * rows * columns + 5)
      var arguments = forge_matrix_product_arguments()
      arguments.right.base = 1
      arguments.out.base = 2
      arguments.out.offset = 3
      arguments.batch_rank = Int32(test.batch.count)
      store(test.batch, in: &arguments.batch_sizes)
      store(test.left.map { $0 * rows * inner }, in: &arguments.left_strides)
      store(test.right.map { $0 * inner * columns }, in: &arguments.right_strides)
      (arguments.rows, arguments.inner, arguments.columns) =
        (Int64(rows), Int64(inner), Int64(columns))
      // Canaries behind the factors.
      let call = Call(
        level.kernels.matrix_product, arguments,
        bases: [Buffer(a + [.nan]), Buffer(b + [.nan]), out], out: out,
        tiles: forge_matrix_product_tiles)
      let before = out.bits
      expectIndependentTiles(call, "\(level), \(test)")
      let result = (0..<expected.values.count).map { out.pointer[3 + $0] }
      let wrong = difference(result, expected) { "row \($0 / columns), column \($0 % columns)" }
      if let wrong { Issue.record("\(level), \(test): \(wrong)") }
      #expect(out.bits.prefix(3) == before.prefix(3) && out.bits.suffix(2) == before.suffix(2))
    }
  }

  /// A NaN reaches its row, or its column, and nothing else.
  @Test("NaN", arguments: Level.available)
  func notANumber(level: Level) {
    let (rows, inner, columns) = (31, 5, 19)
    for inLeft in [true, false] {
      var a = [Float](repeating: 1, count: rows * inner)
      var b = [Float](repeating: 1, count: inner * columns)
      if inLeft { a[7 * inner + 2] = .nan } else { b[2 * columns + 17] = .nan }
      let out = Buffer(count: rows * columns)
      var arguments = forge_matrix_product_arguments()
      arguments.right.base = 1
      arguments.out.base = 2
      (arguments.rows, arguments.inner, arguments.columns) =
        (Int64(rows), Int64(inner), Int64(columns))
      let tiles = forge_matrix_product_tiles(&arguments)
      run(
        level.kernels.matrix_product, arguments, bases: [Buffer(a), Buffer(b), out],
        tiles: 0..<tiles)
      for i in 0..<rows * columns {
        let isHit = inLeft ? i / columns == 7 : i % columns == 17
        #expect(out.pointer[i].isNaN == isHit)
        if !isHit { #expect(out.pointer[i] == 5) }
      }
    }
  }

  /// Stores numbers in a C array of FORGE_MAX_RANK.
  private func store<Eight>(_ numbers: [Int], in eight: inout Eight) {
    withUnsafeMutableBytes(of: &eight) { bytes in
      for (i, number) in numbers.enumerated() {
        bytes.storeBytes(of: Int64(number), toByteOffset: 8 * i, as: Int64.self)
      }
    }
  }
}
