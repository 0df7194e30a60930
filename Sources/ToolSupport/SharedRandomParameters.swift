import Forge

/// Seeded random numbers in place of the weights of a model, which layers share as they share the
/// weights.
///
/// No weights are read; only what names the tensors of their file is.
struct SharedRandomParameters: ParameterSource {
  private let weights: any ParameterSource
  private let random = RandomParameters(seed: 1)

  var goesByName: Bool { false }

  /// Replaces the values of a source.
  init(_ weights: any ParameterSource) { self.weights = weights }

  func prepared(for specs: [ParameterSpec]) -> any ParameterSource {
    SharedRandomParameters((try? weights.prepared(for: specs)) ?? weights)
  }

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    guard let values = random.parameter(for: spec) else { return nil }
    let data = (try? weights.parameter(for: spec)) ?? nil
    guard let identity = (data as? any IdentifiedParameterData)?.identity else { return values }
    return IdentifiedValues(values: values, identity: identity)
  }
}

/// Values in place of those of a tensor of a file.
private struct IdentifiedValues: IdentifiedParameterData {
  let values: any ParameterData
  let identity: ValueIdentity?

  init(values: any ParameterData, identity: ValueIdentity) {
    (self.values, self.identity) = (values, identity)
  }

  var count: Int { values.count }
  var elementType: ElementType { values.elementType }
  var layout: ParameterLayout { values.layout }
  var sizes: [Int]? { values.sizes }
  var origin: String { values.origin }
  var temporaryByteCount: Int { values.temporaryByteCount }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try values.withUnsafeBytes(body)
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws { try values.read(into: memory) }
}
