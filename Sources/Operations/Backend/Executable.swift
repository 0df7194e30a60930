import ForgeSystem

/// A network that is ready to run on inputs of one size.
package protocol Executable: AnyObject, Sendable {
  /// The sizes of each input, in memory order; for the longest sequence.
  var inputSizes: [[Int]] { get }
  /// The sizes of each output, in memory order, for the longest sequence; kept layers follow the
  /// model's own.
  var outputSizes: [[Int]] { get }
  /// The memory of each state.
  var states: [StateLayout] { get }
  /// What the positions among the states must leave room for.
  var positionLimits: [PositionLimit] { get }
  /// The inputs whose values choose rows of a table, by their index, with the number of rows.
  var indexInputs: [Int: Int] { get }
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

extension Executable {
  /// The sizes of each state, in memory order.
  package var stateSizes: [[Int]] { states.map(\.sizes) }
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

  /// Computes the outputs and next states of one example of the workspace, without allocating.
  ///
  /// - Returns: `true` if it finished before `stop` was met.
  /// - Throws: ``LayerFailure`` if a custom layer throws, or with ``IndexFault``.
  func run(example: Int, until stop: StopCondition) throws(LayerFailure) -> Bool

  /// Computes the outputs of the first example and adds the seconds of each step to `seconds`.
  func profile(adding seconds: inout [Double]) throws(LayerFailure)

  /// The run for real-time threads; `nil` if the network has a layer of unbounded duration.
  var realtimeRun: RealtimeRun? { get }

  /// Why the last real-time run of an example failed.
  func realtimeFailure(example: Int) -> LayerFailure
}

/// A prediction as a C function, which runs without reference counting.
package struct RealtimeRun {
  /// Receives the context and the index of an example.
  package typealias Function = @convention(c) (UnsafeRawPointer, Int) -> Bool

  /// The first argument of the functions, valid while the runner exists.
  package let context: UnsafeRawPointer
  /// Returns whether the positions of an example leave room for a prediction.
  package let hasRoom: Function
  /// Computes the outputs and next states of an example; returns whether it succeeded.
  package let function: Function
  /// Makes the next states of an example the present ones.
  package let advance: @convention(c) (UnsafeRawPointer, Int) -> Void
  /// The address of each input, which may be replaced between runs.
  package let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// The address of each output, which may be replaced between runs.
  package let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

  package init(
    context: UnsafeRawPointer, inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>,
    outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, hasRoom: Function,
    function: Function, advance: @convention(c) (UnsafeRawPointer, Int) -> Void
  ) {
    self.context = context
    (self.inputs, self.outputs) = (inputs, outputs)
    self.hasRoom = hasRoom
    self.function = function
    self.advance = advance
  }
}

/// A number that chooses no row of a table, the cause of a ``LayerFailure``.
package struct IndexFault: Error, Hashable {
  /// The number.
  package let value: Float
  /// Its index in the tensor of numbers.
  package let index: Int
  /// The number of rows.
  package let size: Int
  /// Whether numbers below 0 count from the end.
  package let fromEnd: Bool
  /// The index of the example.
  package let example: Int

  package init(value: Float, index: Int, size: Int, fromEnd: Bool = false, example: Int) {
    (self.value, self.index, self.size, self.example) = (value, index, size, example)
    self.fromEnd = fromEnd
  }
}

/// A position at which a prediction cannot begin, the cause of a ``LayerFailure``.
package struct PositionFault: Error, Hashable {
  /// The position.
  package let value: Float
  /// What it must leave room for.
  package let limit: PositionLimit
  /// The index of the example.
  package let example: Int

  package init(value: Float, limit: PositionLimit, example: Int) {
    (self.value, self.limit, self.example) = (value, limit, example)
  }
}

/// The failure of a custom layer that threw an error, or of a layer that cannot read its input.
package struct LayerFailure: Error {
  /// The position of the layer.
  package let layer: Int
  /// The error that the layer threw, ``IndexFault`` or ``PositionFault``.
  package let cause: any Error

  /// The index of the example, where the cause tells.
  package var example: Int? {
    (cause as? IndexFault)?.example ?? (cause as? PositionFault)?.example
  }

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
  /// The bytes of tensors and parameters that it reads and writes, each counted once, without the
  /// scratch memory that all steps share.
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
