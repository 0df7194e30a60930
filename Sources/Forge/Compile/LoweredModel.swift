import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes

/// Stage 2: the layers as primitive operations.
struct LoweredModel: Sendable {
  /// The operations.
  var graph: OperationGraph
  /// The parameters in the order of first use.
  let parameters: [ParameterSpec]
  /// The layer each parameter belongs to, as an index of ``Inference/nodes``.
  let owners: [Int]
  /// The axes of the sequences that layers make, as other frameworks have them.
  let sequenceAxes: [OperationGraph.Value: SequenceAxes]

  /// Lowers a model that has passed inference.
  ///
  /// - Parameters:
  ///   - inference: the layers and inputs.
  ///   - length: the length of sequences; the largest one if `nil`.
  /// - Throws: ``CompileError`` with every layer that does not fit.
  init(_ inference: Inference, length: Int? = nil) throws(CompileError) {
    var lowering = Lowering()
    lowering.length = length ?? inference.maximumLength
    var values: [OperationGraph.Value?] = []
    var owners: [Int] = []
    var problems: [Problem] = []
    for (index, node) in inference.nodes.enumerated() {
      guard let shape = node.shape else {
        values.append(nil)
        continue
      }
      guard let layer = node.layer else {
        values.append(
          lowering.graph.addInput(
            length.map { shape.replacing(node.lengthAxes, length: $0) } ?? shape))
        continue
      }
      let inputs = node.inputs.compactMap { values[$0] }
      // A layer that follows a failed one lacks some of its inputs.
      guard inputs.count == node.inputs.count else {
        values.append(nil)
        continue
      }
      lowering.begin(layer: node.position, name: node.name, inputs: inputs)
      do throws(ShapeError) {
        try layer.lower(into: &lowering)
        let output = try lowering.checkedOutput()
        values.append(output)
        lowering.graph.layerOutputs[node.position] = output
      } catch {
        problems.append(
          Inference.problem(error, at: node, inputs: node.inputs.map { inference.nodes[$0] }))
        values.append(nil)
      }
      while owners.count < lowering.parameters.count { owners.append(index) }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    lowering.graph.outputs = inference.outputs.compactMap { values[$0] }
    // The order of declaration may differ from that of creation.
    lowering.graph.reorderInputs(inference.inputs.compactMap { values[$0] })
    lowering.graph.closeStates()
    lowering.graph.hasVaryingLength = inference.maximumLength != nil
    self.graph = lowering.graph
    self.parameters = lowering.parameters
    self.owners = owners
    sequenceAxes = Dictionary(lowering.sequenceAxes.map { ($0.sequence, $0.axes) }) { $1 }
  }
}
