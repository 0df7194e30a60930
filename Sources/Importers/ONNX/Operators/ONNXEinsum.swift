import Forge

extension ONNXOperators {
  /// Sums of products that a formula names: `ij,jk->ik`.
  static func einsum(_ call: inout ONNXCall) throws {
    let values = try call.inputs.indices.map { try call.value($0) }
    for index in values.indices { try call.refuseIntegers(index) }
    let formula = try EinsumFormula(
      call.node.string("equation"), sizes: try values.map { try $0.lengthSizes() })
    var terms = zip(values, formula.inputs).map { EinsumTerm(value: $0, labels: $1) }[...]
    guard var result = terms.popFirst() else { throw NodeFailure.invalid("no inputs") }
    while let next = terms.popFirst() {
      let needed = Set(formula.output).union(terms.flatMap(\.labels))
      result = try result.times(
        next, needed: needed, order: formula.output,
        number: values.count == 2 ? nil : terms.count, in: &call)
    }
    result = try result.summed(keeping: Set(formula.output), in: &call)
    call.set(.network(try result.arranged(formula.output).network()))
  }
}

/// The labels of the axes of each operand and of the result.
private struct EinsumFormula {
  private(set) var inputs: [[Int]] = []
  private(set) var output: [Int] = []

  /// Reads a formula for operands of these sizes, which may follow the length of a sequence.
  ///
  /// - Throws: ``NodeFailure`` for one that does not fit them.
  init(_ text: String, sizes: [[LengthSize]]) throws {
    let failure = NodeFailure.invalid("the formula \"\(text)\" for operands of \(sizes)")
    let characters = text.filter { !$0.isWhitespace }.utf8
    guard characters.count <= 1000 else { throw failure }
    let sides = String(decoding: characters, as: UTF8.self).split(
      separator: "->", omittingEmptySubsequences: false)
    guard (1...2).contains(sides.count) else { throw failure }
    let terms = sides[0].split(separator: ",", omittingEmptySubsequences: false)
    guard terms.count == sizes.count else { throw failure }
    // The axes of an ellipsis are counted from the last one.
    var most = 0
    func labels(_ term: Substring, rank: Int?) throws -> [Int] {
      let parts = term.split(separator: "...", omittingEmptySubsequences: false)
      guard parts.count <= 2, parts.allSatisfy({ $0.utf8.allSatisfy(Self.isLetter) }) else {
        throw failure
      }
      let letters = parts.map { $0.utf8.map { Int($0) } }
      let named = letters.reduce(0) { $0 + $1.count }
      let rest = rank.map { $0 - named } ?? most
      guard rest >= 0, parts.count == 2 || rest == 0 || rank == nil else { throw failure }
      guard parts.count == 2 else { return letters[0] }
      most = max(most, rest)
      return letters[0] + (0..<rest).map { 1000 + rest - $0 } + letters[1]
    }
    inputs = try zip(terms, sizes).map { try labels($0, rank: $1.count) }
    if sides.count == 2 {
      output = try labels(sides[1], rank: nil)
    } else {
      var counts: [Int: Int] = [:]
      for label in inputs.joined() { counts[label, default: 0] += 1 }
      output =
        (0..<most).map { 1000 + most - $0 }
        + counts.filter { $0.value == 1 && $0.key < 1000 }.map(\.key).sorted()
    }
    var found: [Int: LengthSize] = [:]
    for (term, termSizes) in zip(inputs, sizes) {
      guard Set(term).count == term.count else {
        throw NodeFailure.unsupported("the diagonal of an operand")
      }
      for (label, size) in zip(term, termSizes) {
        guard found[label] ?? size == size else { throw failure }
        found[label] = size
      }
    }
    guard Set(output).count == output.count, output.allSatisfy({ found[$0] != nil }) else {
      throw failure
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

/// An operand whose axes have labels.
private struct EinsumTerm {
  var value: FileValue
  var labels: [Int]

  /// The tensor of the network; a known one becomes a constant.
  func network() throws -> FileTensor {
    switch value {
    case .network(let file): file
    case .host(let host):
      try ONNXCall.constant(host, layout: FileTensor.fileLayout(host.sizes))
    case .length: throw NodeFailure.unsupported("a product with the length of a sequence")
    }
  }

  /// The sizes of axes for each length of a sequence.
  private func sizes(_ labels: [Int]) throws -> [LengthSize] {
    let valueSizes = try value.lengthSizes()
    return labels.map { label in
      self.labels.firstIndex(of: label).map { valueSizes[$0] } ?? LengthSize(1)
    }
  }

  /// The number of elements along axes, for each length of a sequence.
  private func size(_ labels: [Int]) throws -> LengthSize {
    guard let size = LengthSize.product(of: try sizes(labels)) else { throw ONNXLengths.overflow }
    return size
  }

  /// The axes in another order.
  func arranged(_ target: [Int]) throws -> EinsumTerm {
    guard target != labels else { return self }
    let order = target.compactMap { labels.firstIndex(of: $0) }
    switch value {
    case .host(let host):
      return EinsumTerm(value: .host(try host.transposed(order)), labels: target)
    case .network(let file):
      return EinsumTerm(value: .network(try file.transposed(order)), labels: target)
    case .length: return self
    }
  }

  private func reshaped(_ sizes: [LengthSize]) throws -> FileValue {
    switch value {
    case .host(let host): .host(host.reshaped(sizes.map { $0.constant ?? 0 }))
    case .network(let file): .network(try file.reshaped(to: sizes))
    case .length: value
    }
  }

  /// The sums along the axes that are not kept.
  func summed(keeping kept: Set<Int>, in call: inout ONNXCall) throws -> EinsumTerm {
    let axes = labels.indices.filter { !kept.contains(labels[$0]) }
    guard !axes.isEmpty else { return self }
    let sum = try ONNXOperators.reduced(
      &call, try network(), .sum, axes: axes, keepsDimensions: false)
    return EinsumTerm(value: .network(sum), labels: labels.filter { kept.contains($0) })
  }

  /// The product with another operand, summed along the axes that nobody needs.
  ///
  /// `needed` are the labels that stay, `order` are those of the whole result. `number` tells
  /// several products of a node apart; the only one has none, and may have weights.
  func times(
    _ other: EinsumTerm, needed: Set<Int>, order: [Int], number: Int?, in call: inout ONNXCall
  ) throws -> EinsumTerm {
    var a = try summed(keeping: needed.union(other.labels), in: &call)
    var b = try other.summed(keeping: needed.union(labels), in: &call)
    // The rows of the result come before the columns; weights are on the right.
    let isWeight = if case .host = a.value { true } else { false }
    let isOther = if case .host = b.value { true } else { false }
    let last = order.last { a.labels.contains($0) != b.labels.contains($0) }
    let isTurned = last.map { a.labels.contains($0) } ?? false
    if isWeight != isOther ? isWeight : isTurned { (a, b) = (b, a) }
    let (first, second) = (Set(a.labels), Set(b.labels))
    let shared = a.labels.filter { second.contains($0) }
    let batch =
      order.filter { shared.contains($0) && needed.contains($0) }
      + shared.filter { needed.contains($0) && !order.contains($0) }
    let inner = b.labels.filter { first.contains($0) && !needed.contains($0) }
    let rows = a.labels.filter { !second.contains($0) }
    let columns = b.labels.filter { !first.contains($0) }
    let labels = batch + rows + columns
    guard labels.count <= Shape.maximumRank else {
      throw NodeFailure.unsupported("a product of \(labels.count) axes")
    }
    let sizes = try a.sizes(batch) + a.sizes(rows) + b.sizes(columns)
    a = try a.arranged(batch + rows + inner)
    b = try b.arranged(batch + inner + columns)
    let count = try a.size(inner)
    if number == nil, batch.isEmpty, case .host(let weights) = b.value,
      case .network(let input) = try a.reshaped(try a.sizes(rows) + [count]),
      let matrix = try b.size(columns).constant, let inputCount = count.constant
    {
      try ONNXOperators.dense(
        &call, input, weights.reshaped([inputCount, matrix]), isTransposed: false, bias: nil)
      guard case .network(let result)? = call.outputs[0] else {
        throw NodeFailure.unsupported("an empty tensor")
      }
      return EinsumTerm(value: .network(try result.reshaped(to: sizes)), labels: labels)
    }
    let outer = try a.sizes(batch)
    let product = try ONNXOperators.product(
      &call, try a.reshaped(outer + [try a.size(rows), count]),
      try b.reshaped(outer + [count, try b.size(columns)]),
      name: number.map { "\(call.layerName)/\($0)" })
    return EinsumTerm(value: .network(try product.reshaped(to: sizes)), labels: labels)
  }
}
