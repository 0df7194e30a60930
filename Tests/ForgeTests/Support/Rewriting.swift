import Forge
import ForgeTestSupport
import Testing

/// The report of a model compiled with seeded parameters.
func report(of model: Model, without disabled: Set<String> = []) throws -> CompileReport {
  try model.compile(
    parameters: SeededParameters(), options: CompileOptions(disabledRewrites: disabled)
  ).report
}

extension CompileReport {
  /// The number of places of a rewrite; `nil` when it was left out.
  func places(_ rewrite: String) -> Int? { rewrites.first { $0.name == rewrite }?.places }

  /// The kernels of the steps in order, without the numbers after their names.
  var kernels: [String] { steps.map { String($0.kernel.prefix { $0 != " " }) } }

  /// The kernels that neither clear borders nor change the layout; convolutions by any
  /// algorithm are called so, because sizes choose it and not what is rewritten.
  var arithmetic: [String] {
    steps.map(\.kernel).filter { $0 != "winograd input" }.map { kernel in
      let name = kernel.prefix { $0 != " " }
      return ["plain", "winograd"].contains(name) ? "convolution" : String(name)
    }.filter { !["block", "unblock", "clearHalo"].contains($0) }
  }
}

/// Expects a rewrite to change so many places and to leave these kernels, results as they were;
/// returns the kernels.
@discardableResult
func expectRewrite(
  _ name: String, places: Int, leaving kernels: [String]? = nil, inputs: [Tensor],
  outputs: [Tensor], without others: Set<String> = [],
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> [String] {
  let model = Model(inputs: inputs, outputs: outputs)
  let with = try report(of: model, without: others)
  #expect(with.places(name) == places, sourceLocation: sourceLocation)
  if let kernels {
    #expect(with.arithmetic == kernels, sourceLocation: sourceLocation)
  }
  let compiled = try model.compile(parameters: SeededParameters())
  #expect(compiled.misshapenNodes.isEmpty, sourceLocation: sourceLocation)
  let without = try report(of: model, without: others.union([name]))
  #expect(without.places(name) == nil, sourceLocation: sourceLocation)
  for disabled in [others, others.union([name]), Set(Rewrites.names)] {
    try expectAgreement(
      model, options: CompileOptions(disabledRewrites: disabled),
      "without \(disabled.sorted())", sourceLocation: sourceLocation)
  }
  return with.arithmetic
}
