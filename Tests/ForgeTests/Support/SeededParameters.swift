import Forge
import ForgeTestSupport

/// Values in memory as a parameter of any element type, layout and stated sizes.
struct StoredValues: ParameterData {
  let bytes: [UInt8]
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?
  let origin: String
  /// The number of values that is stated; what the bytes hold unless given.
  let count: Int

  init(
    bytes: [UInt8], _ elementType: ElementType, layout: ParameterLayout = .forge,
    sizes: [Int]? = nil, origin: String = "memory", count: Int? = nil
  ) {
    self.bytes = bytes
    self.elementType = elementType
    self.layout = layout
    self.sizes = sizes
    self.origin = origin
    self.count = count ?? bytes.count / elementType.byteCount
  }

  init(_ values: [Float], layout: ParameterLayout = .forge, sizes: [Int]? = nil) {
    let bytes = values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
    self.init(bytes: bytes, .float32, layout: layout, sizes: sizes)
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try bytes.withUnsafeBytes { try body($0) }
  }
}

/// Seeded values for every parameter, never 0, scaled so that deep networks stay finite.
///
/// It takes layers without names, as the random source of the loaders does.
struct SeededParameters: ParameterSource {
  var seed: UInt64 = 1
  var goesByName: Bool { false }

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    StoredValues(values(for: spec))
  }

  /// The values of a parameter in Forge's layout.
  func values(for spec: ParameterSpec) -> [Float] {
    // FNV-1a over what tells one parameter from another.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(spec.layer)/\(spec.type) \(spec.shapeText)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return seededValues(count: spec.count, seed: hash ^ seed, range: Self.range(of: spec))
  }

  private static func range(of spec: ParameterSpec) -> ClosedRange<Float> {
    switch spec.type {
    case .biases, .beta, .mean: return -0.5...0.5
    case .gamma: return 0.6...1.4
    case .variance: return 0.4...1.6
    case .slopes: return 0.05...0.4
    default:
      let fanIn = zip(spec.axes, spec.sizes)
        .filter { [.height, .width, .inputs].contains($0.0) }
        .reduce(1) { $0 * $1.1 }
      let limit = (4 / Float(fanIn)).squareRoot()
      return -limit...limit
    }
  }
}

/// Parameters by layer name and type, in Forge's layout.
struct NamedParameters: ParameterSource {
  var values: [String: [ParameterType: any ParameterData]]
  var availableNames: [String] { values.keys.sorted() }

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    values[spec.layer]?[spec.type]
  }
}
