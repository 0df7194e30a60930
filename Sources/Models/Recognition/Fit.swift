import Forge

/// How far the parameters of a file are those of a network.
struct Fit {
  let variant: Variant
  /// The file's parameters under the network's names.
  let source: any ParameterSource
  /// How many parameters the network has.
  let wanted: Int
  /// How many of them the file has.
  let found: Int
  /// What keeps the others from fitting, in words.
  let problems: [String]
  /// Layers of the file the network does not have.
  let unused: [String]

  /// Whether every parameter has its place, in the network and in the file.
  var isWhole: Bool { found == wanted && unused.isEmpty }
  /// How much of both fits, 0 to 1.
  var share: Double { Double(found) / Double(max(wanted + unused.count, 1)) }

  /// Asks a source for each parameter of a network.
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
  /// Every parameter of the model, shared ones once, in order.
  fileprivate var parameterSpecs: [ParameterSpec] {
    Inference(self).nodes.filter { !$0.sharesParameters }.flatMap(\.parameters)
  }
}
