import Forge
import ForgeGraph
import Foundation

/// Every parameter of a model.
func parameterSpecs(of model: Model) throws -> [ParameterSpec] {
  try model.inferred().nodes.flatMap(\.parameters)
}

/// eˣ.
func exponential(_ x: Double) -> Double { Foundation.exp(x) }
