import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Stage 5: chooses a kernel, a layout and a step for every node of a bound graph.
///
/// Images are blocked, all other tensors plain. A value is converted when a step requests the other
/// form. The files in `Steps/` translate each family of operations.
struct PlanBuilder {
  typealias Value = OperationGraph.Value
  typealias ID = PlannedTensor.ID

  /// The operations; all sizes are known.
  let graph: OperationGraph
  /// The kernels of the chosen instruction set.
  let kernels: forge_kernel_table
  /// The parameters in the forms that kernels read.
  let constants: PackedConstants
  /// The resizes whose source rectangle can be set per prediction.
  private(set) var cropSlots: [CropSlot] = []
  /// The settings that the choices depend on.
  let settings: PlanSettings
  /// The kernels of the convolutions.
  let convolutions: ConvolutionPlan
  private let lastUse: [Int: Int]
  /// The types of the values that are 8-bit integers, by index.
  let storages: [Int: Quantization.Storage]
  /// The integers that stand for 0 in images of bytes that convolutions read beyond their edges, by
  /// the index of the value.
  let borderZeros: [Int: Int]
  /// The results that are written to the memory of a state, with the state.
  let appendedInPlace: [Value: Value]
  /// What steps check the numbers that choose rows of tables; a step has the place from 1 on.
  private(set) var faultSources: [Plan.FaultSource] = []

  private(set) var steps: [PlannedStep] = []
  private(set) var tensors: [PlannedTensor] = []
  /// The constants that are tensors: operands of elementwise operations.
  private(set) var constantFloats: [(offset: Int, values: FloatMemory)] = []
  /// The total number of floats in those constants, rounded up to whole cache lines.
  private(set) var constantCount = 0
  /// All memory that kernel arguments point to.
  private(set) var retained: [AlignedMemory] = []
  /// The order in which each plain copy goes through the axes.
  private var copyOrders: [[Int]] = []
  private var forms = ValueForms()
  /// The scale and the zero point of each dynamic range, as kernels have them.
  var ranges: [Value: ID] = [:]
  private var clearedRoots: Set<Int> = []
  private(set) var node = 0
  var layers: [Int] = []
  /// The steps of the longest sequence, whose memory those of a shorter one use.
  private let longest: Longest?
  /// The first layer whose constants differ from those of the longest sequence.
  private(set) var layerOfOtherForm: Int?
  private var workerScratchID: ID?
  /// The number of floats of scratch memory for each thread: the most that a step needs, of the
  /// longest sequence too.
  private(set) var workerScratchCount: Int

  /// The tensors and constants of a finished builder.
  private struct Longest {
    let tensors: [PlannedTensor]
    let constantFloats: [(offset: Int, values: FloatMemory)]
    let retained: [AlignedMemory]
    let copyOrders: [[Int]]
  }

  init(
    graph: OperationGraph, kernels: forge_kernel_table, constants: PackedConstants,
    settings: PlanSettings, convolutions: ConvolutionPlan, longest: PlanBuilder? = nil
  ) {
    self.longest = longest.map {
      Longest(
        tensors: $0.tensors, constantFloats: $0.constantFloats, retained: $0.retained,
        copyOrders: $0.copyOrders)
    }
    workerScratchCount = longest?.workerScratchCount ?? 0
    self.graph = graph
    self.kernels = kernels
    self.constants = constants
    self.settings = settings
    self.convolutions = convolutions
    var lastUse: [Int: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) { lastUse[operand.index] = position }
    }
    for output in graph.outputs { lastUse[output.index] = .max }
    self.lastUse = lastUse
    storages = graph.storages
    borderZeros = Self.borderZeros(of: graph)
    appendedInPlace = graph.appendedInPlace
  }

  /// Returns the builder of a shorter sequence, with the kernels and the memory of this one.
  ///
  /// The graph has the nodes and values of this builder's.
  func shorter(_ graph: OperationGraph) throws -> PlanBuilder {
    var builder = PlanBuilder(
      graph: graph, kernels: kernels, constants: constants, settings: settings,
      convolutions: convolutions, longest: self)
    try builder.build()
    return builder
  }

  /// Plans all nodes, then the outputs.
  mutating func build() throws {
    for (index, value) in graph.inputs.enumerated() {
      setForm(value, addPlain(sizes(of: value), base: .input(index)))
    }
    for (position, node) in graph.nodes.enumerated() where !convolutions.isFused(position) {
      self.node = position
      layers = node.layers
      try addSteps(for: node)
    }
    self.node = graph.nodes.count
    layers = []
    let stateCount = graph.states.count
    for (index, value) in graph.outputs.enumerated() {
      // A state that was appended to is where it was.
      if index >= graph.outputs.count - stateCount, appendedInPlace[value] != nil { continue }
      try addOutput(value, index: index)
    }
  }

  /// The order in which the next plain copy goes through the axes; that of the longest sequence, if
  /// this is a shorter one.
  mutating func nextCopyOrder(_ sizes: [Int]) -> [Int] {
    let whole = longest?.copyOrders.dropFirst(copyOrders.count).first
    let order = whole.flatMap { $0.count == sizes.count ? $0 : nil } ?? Self.copyOrder(sizes)
    copyOrders.append(order)
    return order
  }

  // MARK: Values and their forms

  /// The blocked images of values, as far as they exist.
  var blockedForms: [Value: ID] { forms.blocked }

  /// The values that are available in row-major order.
  var plainForms: [Value: ID] { forms.plain }

  /// The images of bytes of values, as far as they exist.
  var byteForms: [Value: ID] { forms.bytes }

  /// Returns the sizes of a value; binding has made all of them known.
  func sizes(of value: Value) -> [Int] { graph.shape(of: value).sizes ?? [] }

  func isImage(_ value: Value) -> Bool { graph.shape(of: value).isImage }

  /// Returns a value as a blocked image, converting it if necessary.
  mutating func blocked(_ value: Value) throws -> ID {
    if let form = blockedForms[value] { return form }
    if let bytes = forms.bytes[value], sizes(of: value).count <= 3 {
      let form = blockedResult(value)
      addDequantization(from: bytes, as: .unscaled(storage(of: value)), to: form)
      return form
    }
    let sizes = graph.imageSizes(of: value)
    let plain = try self.plain(value)
    let source =
      sizes == self.sizes(of: value) ? plain : addTensor(tensor(plain).reshaped(sizes))
    let form = blockedResult(value)
    addBlock(from: source, to: form)
    return form
  }

  /// Returns a value in row-major order, converting it if necessary.
  mutating func plain(_ value: Value) throws -> ID {
    if let form = plainForms[value] { return form }
    if let recipe = graph.constant(value) {
      let form = addConstant(try constants.source.floats(of: recipe), sizes: sizes(of: value))
      setForm(value, form)
      return form
    }
    if let blocked = blockedForms[value], tensor(blocked).isVector {
      let form = addTensor(tensor(blocked).reshaped(sizes(of: value)))
      setForm(value, form)
      return form
    }
    if let bytes = forms.bytes[value] {
      return try plainNumbers(of: value, from: bytes)
    }
    let form = plainResult(value)
    guard let blocked = blockedForms[value] else { return form }
    // A value of fewer axes is a blocked image, too, where it stands for integers.
    let image = graph.imageSizes(of: value)
    addUnblock(
      from: blocked,
      to: image == sizes(of: value) ? form : addTensor(tensor(form).reshaped(image)))
    return form
  }

  /// Creates the blocked tensor of a node's result; part of a concatenation if planned so.
  mutating func blockedResult(_ value: Value) -> ID {
    let sizes = graph.imageSizes(of: value)
    let form: ID
    if let slot = convolutions.layout.slots[value] {
      let whole = blockedForms[slot.whole] ?? blockedResult(slot.whole)
      form = addPart(of: whole, from: slot.channel, count: sizes[2])
    } else {
      form = addBlocked(sizes, halo: convolutions.layout.halos[value])
    }
    setForm(value, form)
    return form
  }

  /// Creates the plain tensor of a node's result.
  mutating func plainResult(_ value: Value) -> ID {
    let form = addPlain(sizes(of: value))
    setForm(value, form)
    return form
  }

  /// Makes a value a view of existing memory, as for a reshape or a crop.
  mutating func setForm(_ value: Value, _ tensor: PlannedTensor) {
    setForm(value, addTensor(tensor))
  }

  mutating func setForm(_ value: Value, _ id: ID) { forms.set(value, to: id, tensor(id)) }

  /// Returns the tensor of an elementwise result: that of an input that is no longer needed, or a
  /// new one.
  mutating func blockedResult(_ value: Value, reusing inputs: [Value]) throws -> ID {
    for input in inputs {
      let source = try blocked(input)
      if canReuse(source, of: input, for: value) {
        setForm(value, source)
        return source
      }
    }
    return blockedResult(value)
  }

  /// Whether a step may overwrite the blocked image of its input with `value`.
  private mutating func canReuse(_ source: ID, of input: Value, for value: Value) -> Bool {
    let (tensor, layout, lastUse, node) = (tensor(source), convolutions.layout, lastUse, node)
    return settings.isEnabled(PlanRewrites.reuseInPlace) && lastUse[input.index] == node
      && tensor.base == .arena && tensor.root == source && tensor.halo == layout.halos[value]
      && sizes(of: input) == sizes(of: value) && layout.slots[value] == nil
      && !forms.areRead(in: source, besides: input) { lastUse[$0.index, default: -1] >= node }
  }

  // MARK: Tensors

  /// Returns a tensor of the unfinished plan.
  func tensor(_ id: ID) -> PlannedTensor { tensors[id.index] }

  mutating func addTensor(_ tensor: PlannedTensor) -> ID {
    tensors.append(tensor)
    return ID(index: tensors.count - 1)
  }

  /// Adds a tensor for some channels of a blocked image, starting at a whole block.
  mutating func addPart(of image: ID, from channel: Int, count: Int) -> ID {
    let whole = tensor(image)
    return addTensor(
      whole.part([whole.height, whole.width, count], channel: channel, halo: whole.halo))
  }

  /// Adds a plain tensor with its own memory.
  mutating func addPlain(_ sizes: [Int], base: PlannedTensor.Base = .arena) -> ID {
    addOwner(.plain(sizes, base: base, id: ID(index: tensors.count)))
  }

  /// Adds a blocked image with its own memory.
  mutating func addBlocked(_ sizes: [Int], halo: Edges = .none) -> ID {
    addOwner(
      .blocked(
        sizes, halo: halo, id: ID(index: tensors.count),
        rowsAreApart: settings.keepsRowsApart(sizes)))
  }

  /// Adds an image of bytes with its own memory.
  mutating func addBytes(
    _ sizes: [Int], _ element: PlannedTensor.Element, halo: Edges = .none
  ) -> ID {
    addOwner(
      .bytes(
        sizes, element, halo: halo, id: ID(index: tensors.count),
        rowsAreApart: settings.keepsRowsApart(sizes)))
  }

  /// Returns scratch memory with at least `count` floats for each thread,
  /// ``TensorPlaces/workerScratchCount`` apart.
  ///
  /// All steps get the same memory, so that a thread writes where it has written before. In memory
  /// that another thread's core has in its cache, stores wait for that core: with scratch of each
  /// step's own, a transformer of 384 channels with 128 positions takes 7 to 9 % more time with two
  /// threads on cores without a common third-level cache.
  mutating func workerScratch(count: Int) -> ID {
    let unit = AlignedMemory.alignment / MemoryLayout<Float>.stride
    let most = max(workerScratchCount, AlignedMemory.round(count, to: unit))
    let sizes = [most.multipliedSaturated(by: settings.threads)]
    let id = workerScratchID ?? addPlain(sizes)
    if longest == nil { tensors[id.index] = .plain(sizes, base: .arena, id: id) }
    (workerScratchID, workerScratchCount) = (id, most)
    return id
  }

  /// Whether a tensor is the scratch memory of the threads.
  func isWorkerScratch(_ id: ID) -> Bool { id == workerScratchID }

  /// Adds a tensor with its own memory, or with that of the longest sequence.
  private mutating func addOwner(_ tensor: PlannedTensor) -> ID {
    guard let longest else { return addTensor(tensor) }
    guard let whole = longest.tensors.dropFirst(tensors.count).first,
      whole.isBlocked == tensor.isBlocked, whole.root == tensor.root, whole.halo == tensor.halo,
      whole.element == tensor.element,
      whole.storage >= tensor.storage
    else {
      noteOtherForm()
      return addTensor(tensor)
    }
    return addTensor(tensor.inMemory(of: whole))
  }

  /// Notes that the plan of the longest sequence does not serve the present layer.
  private mutating func noteOtherForm() {
    if layerOfOtherForm == nil { layerOfOtherForm = layers.last ?? 0 }
  }

  /// Adds values as a tensor.
  mutating func addConstant(_ values: FloatMemory, sizes: [Int]) -> ID {
    if let longest {
      // The values are the first ones of the longest sequence's.
      guard let whole = longest.constantFloats.dropFirst(constantFloats.count).first,
        values.floats.elementsEqual(whole.values.floats.prefix(values.floats.count))
      else {
        noteOtherForm()
        return addPlain(sizes, base: .constants(0))
      }
      constantFloats.append(whole)
      return addPlain(sizes, base: .constants(whole.offset))
    }
    let offset = constantCount
    constantFloats.append((offset, values))
    let unit = AlignedMemory.alignment / MemoryLayout<Float>.stride
    constantCount = AlignedMemory.round(offset + values.floats.count, to: unit)
    return addPlain(sizes, base: .constants(offset))
  }

  // MARK: Steps

  /// Adds a step that runs a kernel of the chosen instruction set.
  ///
  /// `reads` and `writes` name the tensors by the arguments that place them; absent tensors are
  /// skipped. `finish` sets what else depends on places. Every instruction set has all kernels that
  /// a plan can choose; a test checks this.
  mutating func addStep<Arguments: BitwiseCopyable, Tensor: KernelTensor>(
    _ name: String, _ kernel: forge_kernel?, _ arguments: Arguments,
    tiles: @escaping @Sendable (UnsafePointer<Arguments>?) -> Int64, parts: Int = 1,
    rounds: Int = 1,
    reads: KeyValuePairs<WritableKeyPath<Arguments, Tensor>, ID?> = [:],
    writes: KeyValuePairs<WritableKeyPath<Arguments, Tensor>, ID?>,
    multiplyAdds: Int = 0, parameterCount: Int = 0, firstWeights: FirstWeights? = nil,
    finish: @escaping (inout Arguments, TensorPlaces) -> Void = { _, _ in }
  ) {
    guard let kernel else { preconditionFailure("the table of kernels has a hole") }
    for id in writes.compactMap(\.value) { clearHalo(of: id) }
    steps.append(
      PlannedStep(
        name: name, layers: layers, node: node, reads: reads.compactMap(\.value),
        writes: writes.compactMap(\.value),
        action: .kernel { places in
          var arguments = arguments
          for case (let argument, let id?) in Array(reads) + Array(writes) {
            arguments[keyPath: argument] = places.place(id)
          }
          finish(&arguments, places)
          return KernelCall(kernel, arguments, tiles: tiles, parts: parts)
        },
        multiplyAdds: multiplyAdds, parameterBytes: parameterCount * MemoryLayout<Float>.stride,
        rounds: rounds, firstWeights: firstWeights))
  }

  /// Adds a custom operation on plain tensors; no step is fused with it.
  mutating func addCustom(_ node: OperationGraph.Node, _ operation: CustomOperation) throws {
    let reads = try node.inputs.map { try plain($0) }
    steps.append(
      PlannedStep(
        name: "custom", layers: layers, node: self.node, reads: reads,
        writes: [plainResult(node.output)], action: .custom(operation)))
  }

  /// Zeroes the border of a blocked image before its first write, because the arena is reused.
  private mutating func clearHalo(of id: ID) {
    let root = tensors[id.index].root
    let whole = tensors[root.index]
    // Pixels of four bytes are written with their border.
    guard whole.isBlocked, whole.halo != .none, whole.element != .pixels,
      clearedRoots.insert(root.index).inserted
    else { return }
    if case .bytes(let border) = whole.element {
      return addByteHalo(root, whole.halo, border)
    }
    var arguments = forge_clear_halo_arguments()
    arguments.top = Int32(whole.halo.top)
    arguments.left = Int32(whole.halo.left)
    arguments.bottom = Int32(whole.halo.bottom)
    arguments.right = Int32(whole.halo.right)
    addStep(
      "clearHalo", kernels.clear_halo, arguments, tiles: forge_clear_halo_tiles,
      parts: whole.height, writes: [\.out: root])
  }

  /// Returns a constant or a part of its values in packed form, valid while the plan exists.
  ///
  /// `weights` are the outputs that the values are weights of, and `bias` is added to each.
  mutating func packed(
    _ value: Value?, part: Range<Int>? = nil, as form: some PackedForm,
    weights: TinyWeights? = nil, bias: Value? = nil
  ) throws -> UnsafePointer<Float>? {
    let memory = try constants.memory(
      value, of: graph, part: part, as: form, weights: weights, bias: bias
    ) {
      try value.flatMap { graph.constant($0) }.map { try constants.source.floats(of: $0) }
        ?? FloatMemory(count: 0)
    }
    guard let memory else { throw PackedConstants.NotExactEnough() }
    retained.append(memory)
    return memory.floats
  }

  /// Stores numbers that kernel arguments point to, zero-padded to `count`.
  mutating func retain<Number: BitwiseCopyable>(
    _ numbers: [Number], count: Int? = nil
  ) throws -> UnsafePointer<Number>? {
    let byteCount = (count ?? numbers.count) * MemoryLayout<Number>.stride
    var memory = try AlignedMemory(byteCount: byteCount) { bytes in
      _ = bytes.bindMemory(to: Number.self).update(fromContentsOf: numbers)
    }
    if let longest {
      if let whole = longest.retained.dropFirst(retained.count).first,
        whole.bytes.elementsEqual(memory.bytes)
      {
        memory = whole
      } else {
        noteOtherForm()
      }
    }
    retained.append(memory)
    return memory.bytes.baseAddress?.assumingMemoryBound(to: Number.self)
  }

  /// Adds a check of numbers from 0, or from −`size`, to `size` − 1 by the present node; returns
  /// its place, from 1.
  mutating func addFaultSource(size: Int, fromEnd: Bool) -> Int32 {
    faultSources.append(
      Plan.FaultSource(layer: layers.last ?? 0, size: size, fromEnd: fromEnd))
    return Int32(clamping: faultSources.count)
  }

  /// Adds a slot for the crop rectangle of a resize of `image` and returns its index.
  mutating func addCropSlot(_ name: String, image: Value) -> Int {
    let sizes = sizes(of: image)
    cropSlots.append(CropSlot(name: name, width: sizes[1], height: sizes[0]))
    return cropSlots.count - 1
  }
}
