import ForgeSystem

/// A network that is ready to run on inputs of one size.
package protocol Executable: AnyObject, Sendable {
  /// The sizes of each input, in memory order; for the longest sequence.
  var inputSizes: [[Int]] { get }
  /// The sizes of each output, in memory order, for the longest sequence; kept layers follow the
  /// model's own.
  var outputSizes: [[Int]] { get }
  /// The sizes of each state, in memory order.
  var stateSizes: [[Int]] { get }
  /// The sizes for each length of a sequence; `nil` if all sizes are fixed.
  var sequenceSizes: SequenceSizes? { get }
  /// The resizes whose source rectangle can be set per prediction.
  var cropSlots: [CropSlot] { get }
  /// The bytes of a prediction's arena, in which intermediate results share memory.
  var arenaByteCount: Int { get }
  /// The bytes that the arena would take if no tensors shared memory.
  var unsharedByteCount: Int { get }
  /// The bytes of the executable itself, shared by all predictions.
  var byteCount: Int { get }
  /// The steps of a prediction, for reports.
  var steps: [StepReport] { get }
  /// The tensors in the arena, for reports.
  var tensors: [TensorReport] { get }

  /// Creates a runner for predictions in a workspace, with at most this many threads.
  func runner(in workspace: Workspace, threads: Int) -> any ExampleRunner
}

/// Runs one prediction at a time in a workspace.
///
/// It is not `Sendable`: its owner has exclusive access.
package protocol ExampleRunner: AnyObject {
  /// The maximum number of threads of a prediction.
  var threads: Int { get }

  /// Sets the length of the sequences in the inputs; without effect if all sizes are fixed.
  ///
  /// It does not allocate.
  func set(length: Int)

  /// Computes the outputs of one example of the workspace from its inputs, without allocating.
  ///
  /// - Returns: `true` if it finished before `stop` was met.
  /// - Throws: ``LayerFailure`` if a custom layer throws.
  func run(example: Int, until stop: StopCondition) throws(LayerFailure) -> Bool

  /// Computes the outputs of the first example and adds the seconds of each step to `seconds`.
  func profile(adding seconds: inout [Double]) throws(LayerFailure)

  /// The run for real-time threads; `nil` if the network has a layer of unbounded duration.
  var realtimeRun: RealtimeRun? { get }
}

/// A prediction as a C function, which runs without reference counting.
package struct RealtimeRun {
  /// Computes the outputs of one example; receives the context and the index of the example.
  package typealias Function = @convention(c) (UnsafeRawPointer, Int) -> Void

  /// The first argument of `function`, valid while the runner exists.
  package let context: UnsafeRawPointer
  /// The function.
  package let function: Function

  package init(context: UnsafeRawPointer, function: Function) {
    self.context = context
    self.function = function
  }
}

/// The failure of a custom layer that threw an error.
package struct LayerFailure: Error {
  /// The position of the layer.
  package let layer: Int
  /// The error that the layer threw.
  package let cause: any Error

  package init(layer: Int, cause: any Error) {
    self.layer = layer
    self.cause = cause
  }
}

/// A resize whose source rectangle can be set per prediction.
package struct CropSlot: Sendable {
  /// The name of the layer.
  package let name: String
  /// The width of the source image in pixels.
  package let width: Int
  /// The height of the source image in pixels.
  package let height: Int

  package init(name: String, width: Int, height: Int) {
    self.name = name
    self.width = width
    self.height = height
  }

  /// The rectangle of the whole image.
  package var whole: CropRectangle {
    CropRectangle(x: 0, y: 0, width: Double(width), height: Double(height))
  }
}

/// One step of an executable.
package struct StepReport: Sendable {
  /// The name of the kernel.
  package let kernel: String
  /// The positions of the layers that it computes.
  package let layers: [Int]
  /// The position of the node that it belongs to.
  package let node: Int
  /// The number of multiply-adds per example.
  package let multiplyAdds: Int
  /// The bytes of tensors and parameters that it reads and writes, each counted once.
  package let bytes: Int

  package init(kernel: String, layers: [Int], node: Int, multiplyAdds: Int, bytes: Int) {
    self.kernel = kernel
    self.layers = layers
    self.node = node
    self.multiplyAdds = multiplyAdds
    self.bytes = bytes
  }
}

/// A tensor and its place in the arena.
package struct TensorReport: Sendable {
  /// The sizes and the layout.
  package let description: String
  /// The offset from the start of the arena in bytes.
  package let offset: Int
  /// The first and last step that use it, counted from 0.
  package let lifetime: ClosedRange<Int>

  package init(description: String, offset: Int, lifetime: ClosedRange<Int>) {
    self.description = description
    self.offset = offset
    self.lifetime = lifetime
  }
}
