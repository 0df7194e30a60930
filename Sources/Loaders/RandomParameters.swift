import ForgeShapes

/// Seeded random parameters, identical on every machine.
///
/// Use them to try, time or test a network without trained values. Each parameter depends only on
/// the seed, its layer name, its type and its shape, not on the order of requests. Weights are
/// uniform in ±√(6 / inputs of a neuron), as in He et al., which keeps the magnitude of activations
/// stable through many ReLU layers. Biases, beta and mean are in ±0.1, gamma in 0.8…1.2, variance
/// in 0.5…1.5, slopes in 0.2…0.3. No value is 0.
public struct RandomParameters: ParameterSource {
  /// The seed.
  public let seed: UInt64

  /// Creates the source.
  ///
  /// - Parameter seed: different seeds produce different values.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Always `false`: values exist for layers of any name.
  public var goesByName: Bool { false }

  /// The values of a parameter, generated on each read.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values; never `nil`.
  public func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    RandomData(spec: spec, seed: seed)
  }
}

private struct RandomData: ParameterData {
  let spec: ParameterSpec
  let seed: UInt64

  var count: Int { spec.count }
  var origin: String { "random values of seed \(seed)" }
  var sizes: [Int]? { spec.sizes }
  var temporaryByteCount: Int { count * 4 }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let memory = try RawMemory(byteCount: count * 4, for: origin)
    read(into: memory.bytes)
    try body(UnsafeRawBufferPointer(memory.bytes))
  }

  func read(into memory: UnsafeMutableRawBufferPointer) {
    let range = Self.range(for: spec)
    let width = range.upperBound - range.lowerBound
    var random = SplitMix64(seed: Self.start(seed: seed, spec: spec))
    for offset in stride(from: 0, to: memory.count - 3, by: 4) {
      // 23 bits plus one half are exact in Float, and never an end or the middle of the range.
      let fraction = (Float(random.next() >> 41) + 0.5) * 0x1p-23
      memory.storeBytes(
        of: range.lowerBound + width * fraction, toByteOffset: offset, as: Float.self)
    }
  }

  private static func range(for spec: ParameterSpec) -> ClosedRange<Float> {
    switch spec.type {
    case .biases, .beta, .mean: return -0.1...0.1
    case .gamma: return 0.8...1.2
    case .variance: return 0.5...1.5
    case .slopes: return 0.2...0.3
    default:
      let summed = zip(spec.axes, spec.sizes).filter { axis, _ in
        axis == .inputs || axis == .height || axis == .width
      }
      guard !summed.isEmpty else { return -0.1...0.1 }
      let inputs = summed.reduce(1.0) { $0 * Double($1.1) }
      let limit = Float((6 / max(inputs, 1)).squareRoot())
      return -limit...limit
    }
  }

  /// The seed of a parameter: the FNV-1a hash of everything that distinguishes it.
  private static func start(seed: UInt64, spec: ParameterSpec) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    func add(_ number: UInt64) {
      for shift in stride(from: 0, to: 64, by: 8) {
        add(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    add(seed)
    for text in [spec.layer, spec.type.name] {
      text.utf8.forEach { add($0) }
      add(UInt8(0))
    }
    for (axis, size) in zip(spec.axes, spec.sizes) {
      add(axis.rawValue.asciiValue ?? 0)
      add(UInt64(truncatingIfNeeded: size))
    }
    return hash
  }
}
