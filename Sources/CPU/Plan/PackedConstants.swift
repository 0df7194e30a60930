import ForgeOperations
import ForgeSystem

/// The parameters of a compiled model in the forms that kernels read, each packed once.
///
/// Plans for different input sizes share them. Each form is packed directly from its source, one
/// parameter at a time, so no second copy of the whole model exists.
final class PackedConstants: Sendable {
  /// Thrown if a form cannot represent the values accurately enough.
  struct NotExactEnough: Error {}

  private struct Key: Hashable {
    let value: Int
    let part: Range<Int>?
    let form: AnyHashable
  }

  /// The source of the parameters.
  let source: any ConstantSource
  private let made = ForkSafe<[Key: AlignedMemory]>([:])
  /// The forms that cannot represent their values accurately enough.
  private let refused = ForkSafe<Set<Key>>([])
  private let pages = LargePages()

  init(_ source: any ConstantSource) { self.source = source }

  var byteCount: Int { made.withLock { $0.values.reduce(0) { $0 + $1.byteCount } } }

  /// Returns the values of a constant in Forge's layout.
  func floats(of recipe: ConstantRecipe) throws -> FloatMemory { try source.floats(of: recipe) }

  /// Returns the packed form of a constant or of a part of its values; zeros without a constant.
  ///
  /// - Throws: ``NotExactEnough`` if ``fittingMemory(_:part:as:values:)`` returns `nil`, and errors
  ///   of reading the values.
  func memory(
    _ value: OperationGraph.Value?, _ recipe: ConstantRecipe?, part: Range<Int>? = nil,
    as form: some PackedForm
  ) throws -> AlignedMemory {
    let memory = try fittingMemory(value, part: part, as: form) {
      try recipe.map { try source.floats(of: $0) } ?? FloatMemory(count: 0)
    }
    guard let memory else { throw NotExactEnough() }
    return memory
  }

  /// Returns the packed form of a constant or of a part of its values; `nil` if the form cannot
  /// represent them accurately enough.
  ///
  /// `values` is called only if the form does not exist yet.
  func fittingMemory(
    _ value: OperationGraph.Value?, part: Range<Int>? = nil, as form: some PackedForm,
    values: () throws -> FloatMemory
  ) throws -> AlignedMemory? {
    let key = Key(value: value?.index ?? -1, part: part, form: AnyHashable(form))
    if let memory = made.withLock({ $0[key] }) { return memory }
    if refused.withLock({ $0.contains(key) }) { return nil }
    let all = try values()
    let values = UnsafeBufferPointer(rebasing: all.floats[part ?? 0..<all.floats.count])
    let float = MemoryLayout<Float>.stride
    source.loading.hold((all.floats.count + form.count) * float)
    var isExact = true
    let memory = try AlignedMemory(
      byteCount: form.count * float, isZeroed: !form.writesEverything, pages: pages
    ) { bytes in
      guard let memory = bytes.bindMemory(to: Float.self).baseAddress else { return }
      isExact = form.write(
        Packing(
          values: values.baseAddress, count: values.count, memory: memory,
          threads: Int32(clamping: source.threads)))
    }
    withExtendedLifetime(all) {}
    guard isExact else {
      refused.withLock { _ = $0.insert(key) }
      return nil
    }
    // Two threads may have packed the form concurrently; all plans share the first.
    let earlier = made.withLock { made in
      let earlier = made[key]
      if earlier == nil { made[key] = memory }
      return earlier
    }
    if let earlier { return earlier }
    source.loading.keep(memory.byteCount)
    return memory
  }

  /// Releases every form that a plan does not read.
  func drop(except plan: Plan) {
    let read = Set(plan.retained.map { ObjectIdentifier($0) })
    let dropped = made.withLock { made in
      let unread = made.filter { !read.contains(ObjectIdentifier($0.value)) }
      for key in unread.keys { made[key] = nil }
      return unread
    }
    source.loading.release(dropped.values.reduce(0) { $0 + $1.byteCount })
  }
}
