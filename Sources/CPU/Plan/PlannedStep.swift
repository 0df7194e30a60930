import CForgeKernels
import ForgeOperations

/// One step of a plan before its tensors have places.
struct PlannedStep {
  /// What it runs.
  enum Action {
    /// A C kernel; its arguments are made once offsets are known.
    case kernel((TensorPlaces) -> KernelCall)
    /// A user's own arithmetic, called between two runs of C steps.
    case custom(CustomOperation)
  }

  /// The kernel as reports name it.
  let name: String
  /// The layers it does the work of, as positions.
  let layers: [Int]
  /// The node it was made for, by its position.
  let node: Int
  /// The tensors it reads.
  let reads: [PlannedTensor.ID]
  /// The tensors it writes.
  let writes: [PlannedTensor.ID]
  /// What it runs.
  let action: Action
  /// The multiply-adds it does.
  var multiplyAdds = 0
  /// The bytes of packed parameters it reads.
  var parameterBytes = 0
  /// What it reads first of its packed weights; the step before fetches it into the cache.
  var firstWeights: FirstWeights?
}

/// The beginning of packed weights.
struct FirstWeights {
  let start: UnsafePointer<Float>?
  /// The floats worth fetching.
  let count: Int
}

/// Where each tensor of a plan lies, for making kernel arguments.
struct TensorPlaces {
  let tensors: [PlannedTensor]
  /// The offset in the arena of each root, in floats.
  let offsets: [Int]
  /// The number of inputs, whose bases come before those of the outputs.
  let inputCount: Int
  /// The weights that the next step with weights begins with.
  var next: FirstWeights?

  /// For each step the weights that the next step with weights begins with.
  static func following(_ steps: [PlannedStep]) -> [FirstWeights?] {
    var next: FirstWeights?
    var following: [FirstWeights?] = []
    for step in steps.reversed() {
      following.append(next)
      if let weights = step.firstWeights { next = weights }
    }
    return following.reversed()
  }

  private func base(_ tensor: PlannedTensor) -> (index: Int, offset: Int, imageStride: Int) {
    switch tensor.base {
    case .arena: (Int(FORGE_BASE_ARENA), offsets[tensor.root.index], 0)
    case .constants(let offset): (Int(FORGE_BASE_CONSTANTS), offset, 0)
    case .input(let index): (Int(FORGE_BASE_FIRST_BINDING) + index, 0, tensor.storage)
    case .output(let index): (Int(FORGE_BASE_FIRST_BINDING) + inputCount + index, 0, tensor.storage)
    }
  }

  /// A tensor as kernels of images see it.
  func view(_ id: PlannedTensor.ID) -> forge_view {
    let tensor = tensors[id.index]
    let base = base(tensor)
    var view = forge_view()
    view.base = Int32(base.index)
    view.height = Int32(clamping: tensor.height)
    view.width = Int32(clamping: tensor.width)
    view.channels = Int32(clamping: tensor.channels)
    view.offset = Int64(base.offset + tensor.origin)
    view.image_stride = Int64(base.imageStride)
    view.block_stride = Int64(tensor.blockStride)
    view.row_stride = Int64(tensor.rowStride)
    return view
  }

  /// A plain tensor as kernels of any rank see it.
  func place(_ id: PlannedTensor.ID) -> forge_place {
    let tensor = tensors[id.index]
    let base = base(tensor)
    var place = forge_place()
    place.base = Int32(base.index)
    place.offset = Int64(base.offset + tensor.origin)
    place.image_stride = Int64(base.imageStride)
    return place
  }
}

/// A C kernel with the bytes of its arguments.
struct KernelCall {
  let kernel: forge_kernel
  let tiles: Int64
  /// Tile `i` belongs to part `i % parts` of an image; 1 where tiles have no such order.
  let parts: Int
  let arguments: [UInt8]

  /// A call of `kernel` with arguments of its own struct; `tiles` is the family's tile count.
  init<Arguments: BitwiseCopyable>(
    _ kernel: forge_kernel, _ arguments: Arguments,
    tiles: (UnsafePointer<Arguments>?) -> Int64, parts: Int = 1
  ) {
    self.parts = parts
    self.kernel = kernel
    self.tiles = withUnsafePointer(to: arguments) { tiles($0) }
    self.arguments = withUnsafeBytes(of: arguments) { Array($0) }
  }
}
