import Forge
import ForgeLoaders

/// The parameters of a Keras file, some of which are decoded from what it stores.
struct KerasParameters: AbsenceExplainingSource {
  private let file: any ParameterSource
  private let decoded: [ImportedParameters.Key: any ParameterData]

  init(_ file: any ParameterSource, decoded: [ImportedParameters.Key: any ParameterData]) {
    (self.file, self.decoded) = (file, decoded)
  }

  var goesByName: Bool { file.goesByName }
  var availableNames: [String] { file.availableNames }
  var origin: String? { file.origin }

  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    let others = specs.filter { decoded[Self.key($0)] == nil }
    return KerasParameters(try file.prepared(for: others), decoded: decoded)
  }

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    try decoded[Self.key(spec)] ?? file.parameter(for: spec)
  }

  func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    (file as? any AbsenceExplainingSource)?.absence(of: spec)
  }

  private static func key(_ spec: ParameterSpec) -> ImportedParameters.Key {
    ImportedParameters.Key(layer: spec.layer, type: spec.type)
  }
}

/// Values that are decoded when they are needed.
struct KerasDecodedValues: DecodedParameterData {
  let count: Int
  let stored: (type: ElementType, count: Int)
  let layout: ParameterLayout
  let origin: String
  /// Returns as many numbers as ``count``.
  let values: @Sendable () throws -> [Float]

  var temporaryByteCount: Int { count.multipliedSaturated(by: MemoryLayout<Float>.size) }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try values().withUnsafeBytes(body)
  }
}

/// Values as the file stores them, in a stated order.
struct KerasStoredValues: ParameterData {
  let data: any ParameterData
  let layout: ParameterLayout

  var count: Int { data.count }
  var elementType: ElementType { data.elementType }
  var origin: String { data.origin }
  var temporaryByteCount: Int { data.temporaryByteCount }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try data.withUnsafeBytes(body)
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws { try data.read(into: memory) }
}
