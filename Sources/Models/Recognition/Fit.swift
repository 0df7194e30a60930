import Forge

/// How well the parameters of a file match those of a network.
struct Fit {
  let variant: Variant
  /// The file's parameters under the network's names.
  let source: any ParameterSource
  /// The number of parameters of the network.
  let wanted: Int
  /// The number of these that match the file.
  let found: Int
  /// The reasons why the others do not match.
  let problems: [String]
  /// Layers of the file that the network does not have.
  let unused: [String]

  /// Whether the parameters of the network and of the file match completely.
  var isWhole: Bool { found == wanted && unused.isEmpty }
  /// The matching fraction of the parameters of both, 0 to 1.
  var share: Double { Double(found) / Double(max(wanted + unused.count, 1)) }

  /// Requests each parameter of a network from a source.
  init(_ variant: Variant, _ source: any ParameterSource) {
    // Parameters that several layers share are listed once.
    let specs = Inference(variant.model).nodes.filter { !$0.sharesParameters }
      .flatMap(\.parameters)
    let layers = Set(specs.map { variant.fileName?($0.layer) ?? $0.layer })
    self.variant = variant
    self.source = variant.fileName.map { source.renamed($0) } ?? source
    wanted = specs.count
    unused = source.goesByName ? source.availableNames.filter { !layers.contains($0) } : []
    var found = 0
    do {
      let ready = try self.source.prepared(for: specs)
      problems = specs.compactMap { spec in
        do {
          guard let data = try ready.parameter(for: spec) else {
            return "\(spec.layer) has no \(spec.type), \(spec.shapeText), in the file"
          }
          guard data.count == spec.count else {
            return "\(spec.layer): \(data.count) \(spec.type), not \(spec.count)"
          }
          found += 1
          return nil
        } catch {
          return "\(error)"
        }
      }
    } catch {
      problems = ["\(error)"]
    }
    self.found = found
  }
}
