import ForgeOperations
import ForgeSystem

/// The parameters of a compiled model in the forms that kernels read, each packed once.
///
/// Plans for different input sizes share them. Each form is packed directly from its source, one
/// parameter at a time, so no second copy of the whole model exists.
final class PackedConstants: Sendable {
  /// Thrown if a form cannot represent the values accurately enough.
  struct NotExactEnough: Error {}

  /// What is packed: a parameter of the model, or another constant of a graph.
  ///
  /// Parameters that are one tensor of a file are one constant.
  fileprivate enum Constant: Hashable {
    case none
    case parameter(Int)
    case value(Int)
  }

  private struct Key: Hashable {
    let constant: Constant
    let part: Range<Int>?
    let form: AnyHashable
    /// The bias that decides which of the weights become zero.
    var bias: Constant?
  }

  /// A form that was made.
  fileprivate enum Form {
    /// The memory; `nil` if the form cannot represent its values accurately enough.
    case made(AlignedMemory?)
    /// It is known for each bias.
    case ofBias
  }

  /// The source of the parameters.
  let source: any ConstantSource
  private let forms = ForkSafe<[Key: Form]>([:])
  private let pages = LargePages()
  /// The constants of the graph for the largest sizes; `nil` if these are its own.
  private let largest: LargestConstants?

  init(_ source: any ConstantSource) {
    self.source = source
    largest = nil
  }

  /// The constants of a graph for other sizes than those of `graph`, whose constants are `largest`.
  ///
  /// A form of a constant that both graphs have is made once and belongs to `largest`.
  init(_ source: any ConstantSource, like largest: PackedConstants, of graph: OperationGraph) {
    self.source = source
    self.largest = LargestConstants(largest, graph, source)
  }

  var byteCount: Int {
    forms.withLock { $0.values.reduce(0) { $0 + ($1.memory?.byteCount ?? 0) } }
  }

  /// Returns the packed form of a constant or of a part of its values; `nil` if the form cannot
  /// represent them accurately enough.
  ///
  /// - Parameters:
  ///   - value: the constant; zeros if `nil`.
  ///   - graph: the graph of the constant.
  ///   - part: the part of its values.
  ///   - form: the form.
  ///   - weights: the outputs that the values are weights of, if they are.
  ///   - bias: the constant that is added to each output.
  ///   - values: returns all values; called only if the form does not exist yet.
  /// - Returns: the memory of the form.
  /// - Throws: `NoMemory` and errors of the source.
  func memory(
    _ value: OperationGraph.Value?, of graph: OperationGraph, part: Range<Int>? = nil,
    as form: some PackedForm, weights: TinyWeights? = nil, bias: OperationGraph.Value? = nil,
    values: () throws -> FloatMemory
  ) throws -> AlignedMemory? {
    if let largest, let same = largest.constant(value, of: graph),
      let sameBias = largest.constant(bias, of: graph)
    {
      return try largest.all.memory(
        same, part: part, as: form, weights: weights, bias: sameBias, values: values)
    }
    return try memory(
      constant(value, of: graph), part: part, as: form, weights: weights,
      bias: constant(bias, of: graph), values: values)
  }

  private func memory(
    _ constant: Constant, part: Range<Int>?, as form: some PackedForm, weights: TinyWeights?,
    bias: Constant, values: () throws -> FloatMemory
  ) throws -> AlignedMemory? {
    var key = Key(constant: constant, part: part, form: AnyHashable(form), bias: nil)
    if let known = known(&key, bias: bias) { return known }
    let all = try values()
    let values = UnsafeMutableBufferPointer(rebasing: all.floats[part ?? 0..<all.floats.count])
    if let weights, weights.rowLength > 0 {
      let first = (part?.lowerBound ?? 0) / weights.rowLength
      if try weights.clear(values, from: first) {
        key.bias = nil
        forms.withLock { [key] in $0[key] = .ofBias }
        key.bias = bias
      }
    }
    let float = MemoryLayout<Float>.stride
    source.loading.hold((all.capacity + form.count) * float)
    var isExact = true
    let memory = try AlignedMemory(
      byteCount: form.count * float, isZeroed: !form.writesEverything, pages: pages
    ) { bytes in
      guard let memory = bytes.bindMemory(to: Float.self).baseAddress else { return }
      isExact = form.write(
        Packing(
          values: UnsafePointer(values.baseAddress), count: values.count, memory: memory,
          threads: Int32(clamping: source.threads)))
    }
    withExtendedLifetime(all) {}
    // Two threads may have packed the form concurrently; all plans share the first.
    let earlier = forms.withLock { [key] forms in
      let earlier = forms[key]
      if earlier == nil { forms[key] = .made(isExact ? memory : nil) }
      return earlier
    }
    if case .made(let earlier)? = earlier { return earlier }
    guard isExact else { return nil }
    source.loading.keep(memory.byteCount)
    return memory
  }

  fileprivate func constant(
    _ value: OperationGraph.Value?, of graph: OperationGraph
  ) -> Constant {
    guard let value else { return .none }
    if case .parameter(let index)? = graph.constant(value) {
      return .parameter(source.original(of: index))
    }
    return .value(value.index)
  }

  /// The memory of a form that was made, if it was; completes the key if the bias decides.
  private func known(_ key: inout Key, bias: Constant) -> AlignedMemory?? {
    let first = forms.withLock { [key] in $0[key] }
    guard case .ofBias? = first else { return first.map(\.memory) }
    key.bias = bias
    return forms.withLock { [key] in $0[key] }.map(\.memory)
  }

  /// Releases every form that a plan does not read.
  func drop(except plan: Plan) {
    let read = Set(plan.retained.map { ObjectIdentifier($0) })
    let dropped = forms.withLock { forms in
      let unread = forms.filter {
        $0.value.memory.map { !read.contains(ObjectIdentifier($0)) } ?? false
      }
      for key in unread.keys { forms[key] = nil }
      return unread
    }
    source.loading.release(dropped.values.reduce(0) { $0 + ($1.memory?.byteCount ?? 0) })
  }
}

extension PackedConstants.Form {
  /// The memory, if there is any.
  fileprivate var memory: AlignedMemory? {
    if case .made(let memory) = self { memory } else { nil }
  }
}

/// The constants of the graph for the largest sizes, as a graph for other sizes finds them.
private struct LargestConstants: Sendable {
  let all: PackedConstants
  private let source: any ConstantSource
  /// The computed constants by their recipes.
  private let values: [ConstantRecipe.Contents: Int]

  init(_ all: PackedConstants, _ graph: OperationGraph, _ source: any ConstantSource) {
    (self.all, self.source) = (all, source)
    var values: [ConstantRecipe.Contents: Int] = [:]
    for (index, origin) in graph.origins.enumerated() {
      guard case .constant(let recipe) = origin else { continue }
      let same = recipe.renumbered { all.source.original(of: $0) }
      if let contents = same?.contents, values[contents] == nil { values[contents] = index }
    }
    self.values = values
  }

  /// The constant that has the values of one of another graph; `nil` if there is none.
  func constant(
    _ value: OperationGraph.Value?, of graph: OperationGraph
  ) -> PackedConstants.Constant? {
    guard let value else { return PackedConstants.Constant.none }
    let recipe = graph.constant(value)?.renumbered { parameter in
      source.counterpart(of: parameter).map { all.source.original(of: $0) }
    }
    guard let recipe else { return nil }
    if case .parameter(let index) = recipe { return .parameter(index) }
    return values[recipe.contents].map { .value($0) }
  }
}
