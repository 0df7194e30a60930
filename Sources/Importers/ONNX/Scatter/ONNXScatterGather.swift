import Forge

/// Values put into a tensor of the network at places that are known.
extension ONNXScatterPlaces {
  /// The largest number of rows that are combined in one sum, maximum and so on.
  private static let mostCombined = 1 << 22

  /// The data with the updates in place of what was there: rows gathered from both.
  func replaced(_ call: ONNXCall, _ data: FileTensor, _ updates: FileTensor) throws -> FileTensor {
    try ImportBudget.take(rowCount, width: MemoryLayout<Int>.size)
    // Of several updates of a row the last one stays.
    var sources = Array(0..<rowCount)
    for (index, target) in targets.enumerated() { sources[target] = rowCount + index }
    var (rows, row) = (sources, row)
    let block = block(of: sources)
    if block > 1 {
      rows = stride(from: 0, to: sources.count, by: block).map { sources[$0] / block }
      row *= block
    }
    try ImportBudget.keep(rows.count, width: MemoryLayout<Int>.size)
    let parts = try [data, updates].map { try Self.rows(call, $0, of: row) }
    let both = try call.apply(Concatenate(axis: 0), to: parts)
    let result = try call.apply(Gather(indices: rows, axis: 0, name: call.layerName), to: both)
    return FileTensor(result, sizes: [rows.count, row], layout: [0, 1], type: data.type)
      .reshaped(to: data.sizes)
  }

  /// The largest number of rows that always stay neighbors.
  private func block(of sources: [Int]) -> Int {
    var block = Self.greatestDivisor(rowCount, targets.count)
    for (index, source) in sources.enumerated() where block > 1 {
      // Where neighbors part, a block begins, and ends in its source.
      if index > 0, sources[index - 1] == source - 1 { continue }
      block = Self.greatestDivisor(Self.greatestDivisor(block, index), source)
    }
    return block
  }

  private static func greatestDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestDivisor(b, a % b)
  }

  /// The data combined with the sum, maximum and so on of the updates of each row.
  func combined(
    _ call: inout ONNXCall, _ data: FileTensor, _ updates: FileTensor,
    _ combination: ONNXScatter.Combination
  ) throws -> FileTensor {
    guard let reduction = combination.reduction else { return try replaced(call, data, updates) }
    try ImportBudget.take(rowCount.addingSaturated(targets.count), width: MemoryLayout<Int>.size)
    var updatesOfRow = Array(repeating: [Int](), count: rowCount)
    for (index, target) in targets.enumerated() { updatesOfRow[target].append(index) }
    let most = updatesOfRow.reduce(0) { max($0, $1.count) }
    guard rowCount.multipliedSaturated(by: most).multipliedSaturated(by: row) <= Self.mostCombined
    else { throw NodeFailure.unsupported("\(most) updates of one of \(rowCount) entries") }
    // Behind the updates stands a row that changes nothing.
    let neutral = HostTensor(
      floats: Array(repeating: combination.neutral, count: row), sizes: [1, row])
    let parts = [
      try Self.rows(call, updates, of: row), try ONNXCall.constant(neutral, layout: [0, 1]).tensor,
    ]
    let places = updatesOfRow.flatMap { updatesHere in
      updatesHere + Array(repeating: targets.count, count: most - updatesHere.count)
    }
    try ImportBudget.keep(places.count, width: MemoryLayout<Int>.size)
    let both = try call.apply(Concatenate(axis: 0), to: parts)
    var sum = try call.apply(Gather(indices: places, axis: 0), to: both)
    if most > 1 {
      let wide = try call.apply(Reshape(to: [rowCount, most, row]), to: sum)
      sum = try call.apply(Reduce(reduction, axes: [1]), to: wide)
    }
    let result = try ONNXScatter.combined(
      call, combination, try Self.rows(call, data, of: row), sum)
    return FileTensor(result, sizes: [rowCount, row], layout: [0, 1], type: data.type)
      .reshaped(to: data.sizes)
  }

  /// A tensor as rows, in the order of the file.
  private static func rows(
    _ call: ONNXCall, _ tensor: FileTensor, of row: Int
  ) throws -> Tensor {
    tensor.reshaped(to: [tensor.count / row, row]).tensor(as: [0, 1])
  }
}
