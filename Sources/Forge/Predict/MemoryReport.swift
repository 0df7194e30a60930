/// The memory of a compiled model, in bytes as they were asked for.
///
/// Not counted are the allocator's own bytes, the description of the network (some hundred bytes per layer), and the
/// stacks of worker threads.
/// ```swift
/// print(network.memory.packedParameters)
/// ```
public struct MemoryReport: Sendable, Hashable, CustomStringConvertible {
  /// Parameters in the forms that kernels read: shared by all contexts.
  public let packedParameters: Int
  /// Plans: steps, their arguments and constant operands; shared by all contexts.
  public let plans: Int
  /// The arena of one context, in which tensors share memory; 0 where the input's size is not known.
  public let arena: Int
  /// All of one context for one example: arena, inputs, outputs; 0 where the input's size is not known.
  public let context: Int
  /// The most that was held at once while parameters were read and packed.
  ///
  /// What is packed already, the parameter at hand as its source gave it and as Float32, and its packed
  /// form. A comparison that ``CompileOptions/verify`` asks for reads parameters, too, and is counted as far
  /// as it does.
  public let loadingPeak: Int

  /// The bytes, one kind per line.
  public var description: String {
    """
    Packed parameters: \(packedParameters) bytes, \(loadingPeak) at most while loading
    Plans: \(plans) bytes
    Each context: \(context) bytes, of which arena: \(arena)
    """
  }
}

extension CompiledModel {
  /// The memory that the model holds now, that each context takes, and that loading took.
  public var memory: MemoryReport {
    MemoryReport(
      packedParameters: constants.byteCount, plans: plans.byteCount, arena: report.arenaBytes,
      // Fails for inputs of any size only: then a context has no size of its own.
      context: (try? workspaceSize()) ?? 0, loadingPeak: constants.parameters.loading.peak)
  }
}
