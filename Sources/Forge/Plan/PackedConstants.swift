import CForgeKernels
import ForgeOperations
import ForgeRunner
import ForgeShapes

/// The parameters of a compiled model in the forms its kernels read, each made once.
///
/// Plans for different input sizes share them. A form is written straight from its source, one
/// parameter at a time, so that no second copy of the whole model is ever held.
final class PackedConstants: Sendable {
  /// A form of a constant.
  enum Form: Hashable {
    /// `[panel][height][width][inputs, rounded up to 16][panelWidth]`, zero where padded.
    case convolution(height: Int, width: Int, inputs: Int, outputs: Int, panelWidth: Int)
    /// `[panel][unit][inputs, rounded up to 16][panelWidth]`, zero where padded.
    case winograd(WinogradTile, inputs: Int, outputs: Int, panelWidth: Int)
    /// Not floats: per output what `forge_reduced_convolution_arguments` needs of scales and totals, then
    /// `[panel][height][width][inputs, rounded up to 16][panelWidth]` as CForgePrecision.h has them, zero where padded.
    case reduced(
      ReducedKernel, height: Int, width: Int, inputs: Int, outputs: Int, panelWidth: Int,
      accuracy: Double)
    /// `[panel of outputs >> levels][7 or 49][inputs >> levels][panelWidth]`, zero where padded; where they are scaled
    /// the scales of the inputs and of the outputs follow.
    case strassen(levels: Int, inputs: Int, outputs: Int, panelWidth: Int, isScaled: Bool)
    /// `[piece][height][inputs][width][16]`, zero where padded: the pieces are those of
    /// `forge_pack_grouped_convolution`, `inputs` those of one group, `outputs` those of all.
    case grouped(groups: Int, height: Int, width: Int, inputs: Int, outputs: Int)
    /// `[block][height][width][16]`, zero where padded.
    case depthwise(height: Int, width: Int, channels: Int)
    /// As it is, zeros after the last value up to `count`.
    case padded(count: Int)
    /// Zeros: the bias of a layer without one.
    case zeros(count: Int)
  }

  /// Thrown when the values are not those a form can hold within its accuracy.
  struct NotExactEnough: Error {}

  private struct Key: Hashable {
    let value: Int
    let part: Range<Int>?
    let form: Form
  }

  private struct StrassenKey: Hashable {
    let value: Int
    let accuracy: Double
  }

  /// The parameters where their source keeps them.
  let parameters: ParameterStore
  private let made = ForkSafe<[Key: AlignedMemory]>([:])
  /// Forms that values have turned out not to fit.
  private let refused = ForkSafe<Set<Key>>([])
  private let strassenWeights = ForkSafe<[StrassenKey: [StrassenWeights]]>([:])
  private let pages = LargePages()

  init(_ parameters: ParameterStore) {
    self.parameters = parameters
  }

  /// The bytes held.
  var byteCount: Int { made.withLock { $0.values.reduce(0) { $0 + $1.byteCount } } }

  /// The values of a constant in its own layout.
  func floats(of recipe: ConstantRecipe) throws -> FloatMemory { try parameters.floats(of: recipe) }

  /// A constant, or a part of its values, in a form; zeros for no constant.
  func memory(
    _ value: OperationGraph.Value?, _ recipe: ConstantRecipe?, part: Range<Int>? = nil,
    as form: Form
  ) throws -> AlignedMemory {
    let key = Key(value: value?.index ?? -1, part: part, form: form)
    if let memory = made.withLock({ $0[key] }) { return memory }
    if refused.withLock({ $0.contains(key) }) { throw NotExactEnough() }
    let all = try recipe.map { try parameters.floats(of: $0) } ?? FloatMemory(count: 0)
    let values = UnsafeBufferPointer(rebasing: all.floats[part ?? 0..<all.floats.count])
    let float = MemoryLayout<Float>.stride
    parameters.loading.hold((all.floats.count + form.count) * float)
    var isExact = true
    let memory = try AlignedMemory(
      byteCount: form.count * float, isZeroed: !form.writesEverything, pages: pages
    ) { bytes in
      isExact = form.write(
        values.span, to: bytes.bindMemory(to: Float.self),
        threads: Int32(clamping: parameters.threads))
    }
    withExtendedLifetime(all) {}
    guard isExact else {
      refused.withLock { _ = $0.insert(key) }
      throw NotExactEnough()
    }
    // Two threads may have made it at once; plans share the first.
    let earlier = made.withLock { made in
      let earlier = made[key]
      if earlier == nil { made[key] = memory }
      return earlier
    }
    if let earlier { return earlier }
    parameters.loading.keep(memory.byteCount)
    return memory
  }

  /// How Strassen's algorithm may use weights `[outputs][inputs]` with one level or two; each is read once for that.
  func strassen(
    _ value: OperationGraph.Value, _ recipe: ConstantRecipe, inputs: Int, outputs: Int, levels: Int,
    settings: PlanSettings
  ) throws -> StrassenWeights {
    let key = StrassenKey(value: value.index, accuracy: settings.accuracy)
    if let known = strassenWeights.withLock({ $0[key] }) { return known[levels - 1] }
    let values = try parameters.floats(of: recipe)
    let weights = withExtendedLifetime(values) {
      (1...2).map { levels in
        StrassenWeights(
          values.floats, inputs: inputs, outputs: outputs, levels: levels,
          accuracy: settings.accuracy, channelAccuracy: settings.channelAccuracy)
      }
    }
    strassenWeights.withLock { $0[key] = weights }
    return weights[levels - 1]
  }

  /// Moves what could not be filled in large pages fast enough to such pages, in the background.
  func settle() { pages.moveToLargePages(after: .milliseconds(500)) }

  /// The same before it returns.
  func settleNow() { pages.moveToLargePagesNow() }

  /// Whether nothing is left of that to do.
  var isSettled: Bool { pages.isSettled }

  /// Lets go of every form that a plan does not read.
  func drop(except plan: Plan) {
    let read = Set(plan.retained.map { ObjectIdentifier($0) })
    let dropped = made.withLock { made in
      let unread = made.filter { !read.contains(ObjectIdentifier($0.value)) }
      for key in unread.keys { made[key] = nil }
      return unread
    }
    parameters.loading.release(dropped.values.reduce(0) { $0 + $1.byteCount })
  }
}

extension PackedConstants.Form {
  /// The number of floats.
  var count: Int {
    switch self {
    case .convolution(let height, let width, let inputs, let outputs, let panelWidth):
      AlignedMemory.round(outputs, to: panelWidth) * height * width
        * AlignedMemory.round(inputs, to: TensorDescriptor.blockWidth)
    case .winograd(let form, let inputs, let outputs, let panelWidth):
      AlignedMemory.round(outputs, to: panelWidth) * form.units
        * AlignedMemory.round(inputs, to: TensorDescriptor.blockWidth)
    case .reduced(let kernel, let height, let width, let inputs, let outputs, let panelWidth, _):
      kernel.floatCount(
        taps: height * width, inputs: inputs, columns: AlignedMemory.round(outputs, to: panelWidth))
    case .strassen(let levels, let inputs, let outputs, let panelWidth, let isScaled):
      Self.strassenCount(levels: levels, inputs: inputs, outputs: outputs, panelWidth: panelWidth)
        + (isScaled ? inputs + outputs : 0)
    case .grouped(let groups, let height, let width, let inputs, let outputs):
      Int(
        forge_grouped_convolution_floats(
          Int64(groups), Int64(outputs), Int64(height), Int64(width), Int64(inputs)))
    case .depthwise(let height, let width, let channels):
      AlignedMemory.round(channels, to: TensorDescriptor.blockWidth) * height * width
    case .padded(let count), .zeros(let count): count
    }
  }

  /// The floats of the weights of Strassen's algorithm, before the scales.
  static func strassenCount(levels: Int, inputs: Int, outputs: Int, panelWidth: Int) -> Int {
    AlignedMemory.round(outputs >> levels, to: panelWidth)
      * Int(forge_strassen_products(Int32(levels))) * (inputs >> levels)
  }

  /// Whether ``write(_:to:)`` leaves no float as it was.
  var writesEverything: Bool {
    switch self {
    case .convolution, .winograd, .strassen: true
    case .reduced, .grouped, .depthwise, .padded, .zeros: false
    }
  }

  /// Writes values, in Forge's own layout, to memory, zeroed unless all of it is written.
  ///
  /// Large forms are dealt out to up to `threads` threads. Gives whether the form holds the values as exactly as it
  /// should.
  func write(
    _ values: Span<Float>, to memory: UnsafeMutableBufferPointer<Float>, threads: Int32
  ) -> Bool {
    let lanes = TensorDescriptor.blockWidth
    switch self {
    case .zeros: break
    case .padded:
      values.withUnsafeBufferPointer { _ = memory.update(fromContentsOf: $0) }
    case .convolution(let height, let width, let inputs, let outputs, let panelWidth):
      values.withUnsafeBufferPointer {
        forge_pack_convolution(
          $0.baseAddress, memory.baseAddress, Int64(outputs), Int64(height * width), Int64(inputs),
          Int64(panelWidth), threads)
      }
    case .winograd(let form, let inputs, let outputs, let panelWidth):
      values.withUnsafeBufferPointer {
        forge_pack_winograd(
          $0.baseAddress, memory.baseAddress, Int64(outputs), Int64(inputs),
          Int32(form.tile.height), Int32(form.kernel.height), Int32(form.tile.width),
          Int32(form.kernel.width), Int32(form.stride), Int64(panelWidth),
          threads)
      }
    case .reduced(
      let kernel, let height, let width, let inputs, let outputs, let panelWidth, let accuracy):
      return kernel.write(
        values, to: memory, taps: height * width, inputs: inputs, outputs: outputs,
        panelWidth: panelWidth, accuracy: accuracy, threads: threads)
    case .strassen(let levels, let inputs, let outputs, let panelWidth, let isScaled):
      let weightCount = Self.strassenCount(
        levels: levels, inputs: inputs, outputs: outputs, panelWidth: panelWidth)
      let scales = isScaled ? memory.baseAddress.map { $0 + weightCount } : nil
      let (rows, columns) = (Int64(outputs), Int64(inputs))
      values.withUnsafeBufferPointer {
        if let scales { forge_balance($0.baseAddress, rows, columns, scales, scales + inputs) }
        forge_pack_strassen(
          $0.baseAddress, memory.baseAddress, rows, columns, Int64(panelWidth), Int32(levels),
          scales, scales.map { $0 + inputs }, threads)
      }
    case .grouped(let groups, let height, let width, let inputs, let outputs):
      values.withUnsafeBufferPointer {
        forge_pack_grouped_convolution(
          $0.baseAddress, memory.baseAddress, Int64(groups), Int64(outputs), Int64(height),
          Int64(width), Int64(inputs))
      }
    case .depthwise(let height, let width, let channels):
      let taps = height * width
      for channel in 0..<channels {
        for tap in 0..<taps {
          memory[(channel / lanes * taps + tap) * lanes + channel % lanes] =
            values[channel * taps + tap]
        }
      }
    }
    return true
  }
}
