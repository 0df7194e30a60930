import Forge

/// How well the parameters of a file match those of a network.
struct Fit {
  let variant: Variant
  /// The file's parameters under the network's names.
  let source: any ParameterSource
  /// The number of parameters of the network.
  let wanted: Int
  /// The number of these that the file has.
  let found: Int
  /// The reasons why the others do not fit, as text.
  let problems: [String]
  /// Layers of the file that the network does not have.
  let unused: [String]

  /// Whether the parameters of the network and of the file match completely.
  var isWhole: Bool { found == wanted && unused.isEmpty }
  /// The fraction of both that matches, 0 to 1.
  var share: Double { Double(found) / Double(max(wanted + unused.count, 1)) }

  /// Requests each parameter of a network from a source.
  init(_ variant: Variant, _ source: any ParameterSource) {
    let specs = variant.model.parameterSpecs
    let fileName = variant.fileName
    let named = fileName.map { rename in source.renamed { rename($0) } as any ParameterSource }
    let renamed = named ?? source
    var found = 0
    var problems: [String] = []
    do {
      let ready = try renamed.prepared(for: specs)
      for spec in specs {
        do {
          guard let data = try ready.parameter(for: spec) else {
            problems.append("\(spec.layer) has no \(spec.type), \(spec.shapeText), in the file")
            continue
          }
          if data.count == spec.count {
            found += 1
          } else {
            problems.append("\(spec.layer): \(data.count) \(spec.type), not \(spec.count)")
          }
        } catch {
          problems.append("\(error)")
        }
      }
    } catch {
      problems.append("\(error)")
    }
    let layers = Set(specs.map { fileName?($0.layer) ?? $0.layer })
    self.variant = variant
    self.source = renamed
    self.wanted = specs.count
    self.found = found
    self.problems = problems
    unused = source.goesByName ? source.availableNames.filter { !layers.contains($0) } : []
  }
}

extension Model {
  /// Every parameter of the model, in order, with shared ones listed once.
  fileprivate var parameterSpecs: [ParameterSpec] {
    Inference(self).nodes.filter { !$0.sharesParameters }.flatMap(\.parameters)
  }
}
