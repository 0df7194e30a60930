import CForgeSound

/// The tables of a complex Fourier transform of any size.
///
/// Sizes whose largest prime factor is at most 31 have a pass for each factor. Others go through
/// Bluestein's algorithm: a convolution of at least twice the size.
final class FourierTable: @unchecked Sendable {
  /// The transform as C reads it, written only during initialization.
  let pointer: UnsafeMutablePointer<forge_fourier>
  private let tables: FloatTables
  private let inner: FourierTable?

  init(size: Int) {
    tables = FloatTables()
    pointer = UnsafeMutablePointer.allocate(capacity: 1)
    var fourier = forge_fourier()
    fourier.size = Int64(size)
    if let factors = Self.factors(of: size) {
      inner = nil
      Self.addPasses(factors, size: size, to: &fourier, tables)
    } else {
      let padded = Self.smooth(atLeast: 2 * size - 1)
      let inner = FourierTable(size: padded)
      self.inner = inner
      fourier.inner = UnsafePointer(inner.pointer)
      // k² modulo 2·size, so that the angle is exact.
      let chirp = (0..<size).map { Numbers.turn($0 * $0 % (2 * size), of: 2 * size) }
      var kernel = [(Double, Double)](repeating: (0, 0), count: padded)
      for (k, value) in chirp.enumerated() {
        kernel[k] = (value.0, -value.1)
        if k > 0 { kernel[padded - k] = kernel[k] }
      }
      let transformed = Self.transform(kernel)
      fourier.chirp = tables.add(chirp.flatMap { [Float($0.0), Float($0.1)] })
      fourier.kernel = tables.add(
        transformed.flatMap { [Float($0.0 / Double(padded)), Float($0.1 / Double(padded))] })
    }
    pointer.initialize(to: fourier)
  }

  deinit { pointer.deallocate() }

  /// The radices of the passes; `nil` if a prime factor is too large for one.
  static func factors(of size: Int) -> [Int]? {
    var (rest, factors): (Int, [Int]) = (size, [])
    for radix in [4, 2, 3, 5] {
      while rest.isMultiple(of: radix) {
        factors.append(radix)
        rest /= radix
      }
    }
    var prime = 7
    while rest > 1, prime <= Int(FORGE_LARGEST_RADIX) {
      while rest.isMultiple(of: prime) {
        factors.append(prime)
        rest /= prime
      }
      prime += 2
    }
    return rest == 1 ? factors : nil
  }

  /// The smallest size without prime factors above 5 that is at least `least`.
  static func smooth(atLeast least: Int) -> Int {
    var size = least
    while true {
      var rest = size
      for prime in [2, 3, 5] { while rest.isMultiple(of: prime) { rest /= prime } }
      if rest == 1 { return size }
      size += 1
    }
  }

  private static func addPasses(
    _ factors: [Int], size: Int, to fourier: inout forge_fourier, _ tables: FloatTables
  ) {
    var (length, stride) = (size, 1)
    var passes: [forge_pass] = []
    for radix in factors {
      var twiddles: [Float] = []
      for q in 0..<length / radix {
        for k in 1..<radix {
          let (c, s) = Numbers.turn(q * k, of: length)
          twiddles += [Float(c), Float(s)]
        }
      }
      let roots = (0..<radix).flatMap { k in
        let (c, s) = Numbers.turn(k, of: radix)
        return [Float(c), Float(s)]
      }
      passes.append(
        forge_pass(
          radix: Int64(radix), length: Int64(length), stride: Int64(stride),
          twiddles: tables.add(twiddles), roots: tables.add(roots)))
      length /= radix
      stride *= radix
    }
    fourier.pass_count = Int32(passes.count)
    withUnsafeMutableBytes(of: &fourier.passes) { memory in
      passes.withUnsafeBytes { memory.copyMemory(from: $0) }
    }
  }

  /// A transform in double precision, whose size has small factors only.
  private static func transform(_ values: [(Double, Double)]) -> [(Double, Double)] {
    let size = values.count
    guard size > 1 else { return values }
    let radix = [2, 3, 5].first { size.isMultiple(of: $0) } ?? size
    let count = size / radix
    let parts = (0..<radix).map { part in
      transform((0..<count).map { values[$0 * radix + part] })
    }
    return (0..<size).map { k in
      var sum = (0.0, 0.0)
      for part in 0..<radix {
        let (c, s) = Numbers.turn(part * k, of: size)
        let (re, im) = parts[part][k % count]
        sum.0 += re * c - im * s
        sum.1 += re * s + im * c
      }
      return sum
    }
  }
}

/// Tables of floats that C reads, freed together.
final class FloatTables {
  private var blocks: [UnsafeMutablePointer<Float>] = []
  private var numbers: [UnsafeMutablePointer<Int32>] = []

  func add(_ values: [Float]) -> UnsafePointer<Float> {
    let block = UnsafeMutablePointer<Float>.allocate(capacity: max(values.count, 1))
    block.initialize(to: 0)
    block.update(from: values, count: values.count)
    blocks.append(block)
    return UnsafePointer(block)
  }

  func add(_ values: [Int]) -> UnsafePointer<Int32> {
    let block = UnsafeMutablePointer<Int32>.allocate(capacity: max(values.count, 1))
    block.initialize(to: 0)
    block.update(from: values.map { Int32(clamping: $0) }, count: values.count)
    numbers.append(block)
    return UnsafePointer(block)
  }

  deinit {
    for block in blocks { block.deallocate() }
    for block in numbers { block.deallocate() }
  }
}
