import ForgeShapes
import ForgeSystem

/// A network that is ready to run on inputs of one size.
package protocol Executable: AnyObject, Sendable {
  /// The sizes of each input, in memory order.
  var inputSizes: [[Int]] { get }
  /// The sizes of each output, in memory order; kept layers follow the model's own.
  var outputSizes: [[Int]] { get }
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

  /// Makes what runs predictions in a workspace, with at most this many threads.
  func runner(in workspace: Workspace, threads: Int) -> any ExampleRunner
}

/// Runs one prediction after the other in a workspace.
///
/// It is not `Sendable`: its holder has exclusive access.
package protocol ExampleRunner: AnyObject {
  /// The most threads that a prediction uses.
  var threads: Int { get }

  /// Computes the outputs of one example of the workspace from its inputs.
  ///
  /// It does not allocate.
  ///
  /// - Returns: whether it ran to the end before `stop` was met.
  /// - Throws: ``LayerFailure`` when a custom layer throws.
  func run(example: Int, until stop: StopCondition) throws(LayerFailure) -> Bool

  /// Computes the outputs of the first example and adds the seconds of each step to `seconds`.
  func profile(adding seconds: inout [Double]) throws(LayerFailure)

  /// The run for threads with a deadline; `nil` when the network has a layer of unbounded time.
  var realtimeRun: RealtimeRun? { get }
}

/// A prediction as a C function, which runs without reference counting.
package struct RealtimeRun {
  /// Computes the outputs of one example: the context, and the index of the example.
  package typealias Function = @convention(c) (UnsafeRawPointer, Int) -> Void

  /// The first argument of `function`, valid while the runner lives.
  package let context: UnsafeRawPointer
  /// The function.
  package let function: Function

  /// Creates a run.
  package init(context: UnsafeRawPointer, function: Function) {
    self.context = context
    self.function = function
  }
}

/// A custom layer that threw.
package struct LayerFailure: Error {
  /// The position of the layer.
  package let layer: Int
  /// What it threw.
  package let cause: any Error

  /// Creates a failure.
  package init(layer: Int, cause: any Error) {
    self.layer = layer
    self.cause = cause
  }
}

/// A resize whose source rectangle can be set per prediction.
package struct CropSlot: Sendable {
  /// The name of the layer.
  package let name: String
  /// The width of the image that it samples, in pixels.
  package let width: Int
  /// The height of that image, in pixels.
  package let height: Int

  /// Creates a slot.
  package init(name: String, width: Int, height: Int) {
    self.name = name
    self.width = width
    self.height = height
  }

  /// The whole image.
  package var whole: CropRectangle {
    CropRectangle(x: 0, y: 0, width: Double(width), height: Double(height))
  }
}

/// One step of an executable.
package struct StepReport: Sendable {
  /// The name of the kernel.
  package let kernel: String
  /// The layers it computes, as positions.
  package let layers: [Int]
  /// The node of the graph that it was made for, by position.
  package let node: Int
  /// The multiply-adds of one example.
  package let multiplyAdds: Int
  /// The bytes of tensors and parameters that it reads and writes, each counted once.
  package let bytes: Int

  /// Creates a report.
  package init(kernel: String, layers: [Int], node: Int, multiplyAdds: Int, bytes: Int) {
    self.kernel = kernel
    self.layers = layers
    self.node = node
    self.multiplyAdds = multiplyAdds
    self.bytes = bytes
  }
}

/// One tensor and its place in the arena.
package struct TensorReport: Sendable {
  /// The tensor.
  package let descriptor: TensorDescriptor
  /// The offset from the start of the arena in bytes.
  package let offset: Int
  /// The first and the last step that need it, from 0.
  package let lifetime: ClosedRange<Int>

  /// Creates a report.
  package init(descriptor: TensorDescriptor, offset: Int, lifetime: ClosedRange<Int>) {
    self.descriptor = descriptor
    self.offset = offset
    self.lifetime = lifetime
  }
}
