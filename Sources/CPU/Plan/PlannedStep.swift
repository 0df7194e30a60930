import CForgeKernels
import ForgeOperations

/// A step of a plan whose tensors have no memory yet.
struct PlannedStep {
  /// The work of a step.
  enum Action {
    /// A C kernel; its arguments are created once offsets are known.
    case kernel((TensorPlaces) -> KernelCall)
    /// A custom operation, called between two runs of C steps.
    case custom(CustomOperation)
  }

  /// The kernel name in reports.
  let name: String
  /// The positions of the layers that the step computes.
  let layers: [Int]
  /// The position of the node that the step belongs to.
  let node: Int
  let reads: [PlannedTensor.ID]
  let writes: [PlannedTensor.ID]
  let action: Action
  var multiplyAdds = 0
  /// The bytes of packed parameters that the step reads.
  var parameterBytes = 0
  /// How often the tiles are computed, one round after the other.
  var rounds = 1
  /// The packed weights that the step reads first; an earlier step prefetches them.
  var firstWeights: FirstWeights?
}

/// The beginning of packed weights.
struct FirstWeights {
  let start: UnsafePointer<Float>?
  /// The number of floats worth prefetching.
  let count: Int
}

/// The location of each tensor of a plan, for creating kernel arguments.
struct TensorPlaces {
  let tensors: [PlannedTensor]
  /// The arena offset of each root, in floats.
  let offsets: [Int]
  /// The number of inputs; their bases precede those of the outputs.
  let inputCount: Int
  /// The distance between the scratch memory of two threads, in floats.
  let workerScratchCount: Int
  /// The first weights of the next step that has weights.
  var next: FirstWeights?

  init(_ builder: PlanBuilder, offsets: [Int]) {
    tensors = builder.tensors
    self.offsets = offsets
    inputCount = builder.graph.inputs.count
    workerScratchCount = builder.workerScratchCount
  }

  /// Returns for each step the first weights of the next step that has weights.
  static func following(_ steps: [PlannedStep]) -> [FirstWeights?] {
    var next: FirstWeights?
    var following: [FirstWeights?] = []
    for step in steps.reversed() {
      following.append(next)
      if let weights = step.firstWeights { next = weights }
    }
    return following.reversed()
  }

  /// Returns a tensor as kernels read it.
  func place<Tensor: KernelTensor>(_ id: PlannedTensor.ID) -> Tensor {
    let tensor = tensors[id.index]
    let bindings = Int(FORGE_BASE_FIRST_BINDING)
    let (base, offset, imageStride) =
      switch tensor.base {
      case .arena: (Int(FORGE_BASE_ARENA), offsets[tensor.root.index], 0)
      case .constants(let offset): (Int(FORGE_BASE_CONSTANTS), offset, 0)
      case .input(let index): (bindings + index, 0, tensor.storage)
      case .output(let index): (bindings + inputCount + index, 0, tensor.storage)
      }
    var placed = Tensor(tensor)
    placed.base = Int32(base)
    // Kernels count the elements of images of bytes in bytes.
    let unit = tensor.element == .float32 ? 1 : MemoryLayout<Float>.stride
    placed.offset = Int64((offset + tensor.origin) * unit)
    placed.image_stride = Int64(imageStride * unit)
    return placed
  }
}

// C's names.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A tensor as kernels read it: an image, or a plain tensor of any rank.
protocol KernelTensor {
  var base: Int32 { get set }
  var offset: Int64 { get set }
  var image_stride: Int64 { get set }

  /// Creates the form of a tensor without its place.
  init(_ tensor: PlannedTensor)
}

extension forge_view: KernelTensor {
  init(_ tensor: PlannedTensor) {
    self.init()
    height = Int32(clamping: tensor.height)
    width = Int32(clamping: tensor.width)
    channels = Int32(clamping: tensor.channels)
    let unit = tensor.element == .float32 ? 1 : MemoryLayout<Float>.stride
    block_stride = Int64(tensor.blockStride * unit)
    row_stride = Int64(tensor.rowStride * unit)
  }
}

extension forge_place: KernelTensor {
  init(_ tensor: PlannedTensor) { self.init() }
}

/// A C kernel and the bytes of its arguments.
struct KernelCall {
  let kernel: forge_kernel
  let tiles: Int64
  /// The number of parts of an image, where tile `i` belongs to part `i % parts`; 1 if tiles have
  /// no such order.
  let parts: Int
  let arguments: [UInt8]
  /// The number of tiles, given the arguments.
  let countTiles: @Sendable (UnsafeRawPointer) -> Int64

  /// Creates a call from the kernel's argument struct; `tiles` returns its tile count.
  init<Arguments: BitwiseCopyable>(
    _ kernel: forge_kernel, _ arguments: Arguments,
    tiles: @escaping @Sendable (UnsafePointer<Arguments>?) -> Int64, parts: Int = 1
  ) {
    self.parts = parts
    countTiles = { tiles($0.assumingMemoryBound(to: Arguments.self)) }
    self.kernel = kernel
    self.tiles = withUnsafePointer(to: arguments) { tiles($0) }
    self.arguments = withUnsafeBytes(of: arguments) { Array($0) }
  }
}
