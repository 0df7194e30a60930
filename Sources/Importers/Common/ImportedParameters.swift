import Forge

/// The weights of an imported model by the name of the layer and the role of the parameter.
///
/// Parameters that are one tensor of the file are read and packed once.
package struct ImportedParameters: IdentifyingParameterSource {
  /// Names a parameter.
  package struct Key: Hashable, Sendable {
    /// The name of the layer.
    package let layer: String
    /// The role in the layer.
    package let type: ParameterType

    /// Creates a key.
    package init(layer: String, type: ParameterType) {
      self.layer = layer
      self.type = type
    }
  }

  /// The values of a parameter and the order of their axes.
  package struct Entry: Sendable {
    let values: HostTensor
    let layout: ParameterLayout
    /// Whether the values are in the order of the tensor that they meet, so no flattened image
    /// before the layer changes it.
    let isOrdered: Bool

    /// Creates an entry.
    package init(values: HostTensor, layout: ParameterLayout, isOrdered: Bool = false) {
      self.values = values
      self.layout = layout
      self.isOrdered = isOrdered
    }
  }

  private let entries: [Key: Entry]
  /// The file of the weights.
  package let origin: String?

  /// Creates a source of these parameters, which lets go of the values that were computed.
  package init(_ entries: [Key: Entry], origin: String?) {
    self.entries = entries
    self.origin = origin
    for entry in entries.values { entry.values.folded?.letGo() }
  }

  /// The bytes of computed values that are in memory.
  package var heldByteCount: Int {
    entries.values.reduce(0) { $0 + ($1.values.isInMemory ? $1.values.count * 4 : 0) }
  }

  package var availableNames: [String] { Set(entries.keys.map(\.layer)).sorted() }

  package func identity(of spec: ParameterSpec) -> ValueIdentity? {
    entries[Key(layer: spec.layer, type: spec.type)]?.values.identity
  }

  package func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard let entry = entries[Key(layer: spec.layer, type: spec.type)] else { return nil }
    return ImportedValues(entry, origin: "\(origin ?? "model"): \(spec.layer) \(spec.type)")
  }
}

/// The values of one parameter of an imported model.
private struct ImportedValues: OrderedParameterData, IdentifiedParameterData, FiledParameterData {
  private let values: HostTensor
  let layout: ParameterLayout
  let isOrdered: Bool
  let origin: String

  init(_ entry: ImportedParameters.Entry, origin: String) {
    values = entry.values
    layout = entry.layout
    isOrdered = entry.isOrdered
    self.origin = origin
  }

  var count: Int { values.count }
  var identity: ValueIdentity? { values.identity }
  var filePlace: (file: InputFile, range: Range<Int>)? {
    if case .stored(let bytes) = values.storage { bytes.filePlace } else { nil }
  }
  var elementType: ElementType {
    if case .stored = values.storage { values.type } else { .float32 }
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    if case .stored(let bytes) = values.storage {
      try bytes.withBytes(body)
    } else {
      try values.floats().withUnsafeBytes(body)
    }
  }
}
