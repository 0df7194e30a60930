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
  /// The forms made; `nil` for one that cannot represent its values accurately enough.
  private let forms = ForkSafe<[Key: AlignedMemory?]>([:])
  private let pages = LargePages()

  init(_ source: any ConstantSource) { self.source = source }

  var byteCount: Int {
    forms.withLock { $0.values.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
  }

  /// Returns the packed form of a constant or of a part of its values; `nil` if the form cannot
  /// represent them accurately enough.
  ///
  /// `values` is called only if the form does not exist yet.
  func memory(
    _ value: OperationGraph.Value?, part: Range<Int>? = nil, as form: some PackedForm,
    values: () throws -> FloatMemory
  ) throws -> AlignedMemory? {
    let key = Key(value: value?.index ?? -1, part: part, form: AnyHashable(form))
    if let known = forms.withLock({ $0[key] }) { return known }
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
    // Two threads may have packed the form concurrently; all plans share the first.
    let earlier = forms.withLock { forms in
      let earlier = forms[key]
      if earlier == nil { forms[key] = .some(isExact ? memory : nil) }
      return earlier
    }
    if let earlier { return earlier }
    guard isExact else { return nil }
    source.loading.keep(memory.byteCount)
    return memory
  }

  /// Releases every form that a plan does not read.
  func drop(except plan: Plan) {
    let read = Set(plan.retained.map { ObjectIdentifier($0) })
    let dropped = forms.withLock { forms in
      let unread = forms.filter { $0.value.map { !read.contains(ObjectIdentifier($0)) } ?? false }
      for key in unread.keys { forms[key] = nil }
      return unread
    }
    source.loading.release(dropped.values.reduce(0) { $0 + ($1?.byteCount ?? 0) })
  }
}
