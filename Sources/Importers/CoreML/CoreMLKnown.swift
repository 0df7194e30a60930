/// What Forge knows of Core ML by name, so that tests find what has no case.
package enum CoreMLKnown {
  /// The types of layers of networks.
  package static var layers: [String] { CoreMLLayerType.all.map(\.name) }
  /// The operations of ML Programs.
  package static var operations: [String] { MILOperators.table.keys.sorted() }
}
