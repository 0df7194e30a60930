import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension PlanBuilder {
  /// Packs the weights of a recurrent step as integers if its rule asks for it; returns whether.
  ///
  /// - Throws: `BackendError` if the weights are not integers times the scales of the rule.
  mutating func addDynamicWeights(
    of node: OperationGraph.Node, _ rule: RecurrentRule,
    to arguments: inout forge_recurrent_arguments
  ) throws -> Bool {
    guard let scales = rule.hiddenScales else { return false }
    let form = DynamicCellForm(
      blocks: rule.gateBlocks, units: rule.units, outputs: rule.outputs, scales: scales)
    let packed: UnsafePointer<Float>?
    do {
      packed = try self.packed(node.inputs[1], as: form)
    } catch is PackedConstants.NotExactEnough {
      throw BackendError.weightsAreNotIntegers(layer: node.layers.last)
    }
    let tables = UnsafeRawPointer(packed)?.assumingMemoryBound(to: Int32.self)
    arguments.totals = tables
    arguments.weight_zeros = tables.map { $0 + form.tableCount }
    arguments.scales = packed.map { $0 + 2 * form.tableCount }
    arguments.weights = packed.map { $0 + form.weightsStart }
    return true
  }
}

extension BackendError {
  /// The error for a layer with integer products that is given other weights.
  fileprivate static func weightsAreNotIntegers(layer: Int?) -> BackendError {
    .problems([
      (
        layer,
        Problem(
          headline: "the recurrent weights are not integers times the scales of the layer",
          details: [("remedy", "the weights of the file that states the scales")])
      )
    ])
  }
}

/// Recurrent weights as integers: for each unit's gate the sum, the zero point and the scale, then
/// the integers.
struct DynamicCellForm: PackedForm {
  /// The blocks of the gates in the parameters.
  let blocks: [Int]
  let units, outputs: Int
  /// What the integer 1 stands for in each row of the parameters.
  let scales: [Float]

  private var panels: Int { (units + PlannedTensor.lanes - 1) / PlannedTensor.lanes }
  /// The numbers of a table.
  var tableCount: Int { panels * blocks.count * PlannedTensor.lanes }
  /// The words before the integers.
  var weightsStart: Int { 3 * tableCount }

  var count: Int { weightsStart + (outputs + 3) / 4 * tableCount }

  func write(_ packing: Packing) -> Bool {
    let values = UnsafeBufferPointer(start: packing.values, count: packing.count)
    guard let integers = QuantizedWeights(values, scales: scales) else { return false }
    let memory = packing.memory
    let tables = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Int32.self)
    let packed = UnsafeMutableRawPointer(memory + weightsStart).assumingMemoryBound(to: Int8.self)
    let places = blocks.map { Int64($0) } + [0, 0, 0]
    let zeros = integers.zeros ?? Array(repeating: 0, count: scales.count)
    integers.integers.withUnsafeBufferPointer { bytes in
      zeros.withUnsafeBufferPointer { zeros in
        var stored = forge_dynamic_recurrent_packing()
        (stored.weights, stored.zeros) = (bytes.baseAddress, zeros.baseAddress)
        (stored.gates, stored.units) = (Int64(blocks.count), Int64(units))
        stored.outputs = Int64(outputs)
        stored.blocks = (places[0], places[1], places[2], places[3])
        forge_pack_dynamic_recurrent(&stored, packed, tables, tables + tableCount)
      }
    }
    let factors = memory + 2 * tableCount
    factors.update(repeating: 0, count: tableCount)
    let lanes = PlannedTensor.lanes
    for (gate, block) in blocks.enumerated() {
      for unit in 0..<units {
        factors[(unit / lanes * blocks.count + gate) * lanes + unit % lanes] =
          scales[block * units + unit]
      }
    }
    return true
  }
}
