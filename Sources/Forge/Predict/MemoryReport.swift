/// The memory of a compiled model, in requested bytes.
///
/// It does not include the overhead of the allocator, the description of the network (some hundred
/// bytes per layer), and the stacks of worker threads.
/// ```swift
/// print(network.memory.packedParameters)
/// ```
public struct MemoryReport: Sendable, Hashable, CustomStringConvertible {
  /// Parameters in the layouts that kernels read, shared by all contexts.
  public let packedParameters: Int
  /// Plans: steps, their arguments and constant operands, shared by all contexts.
  public let plans: Int
  /// The arena of one context, in which tensors share memory; 0 when the input size is not known.
  public let arena: Int
  /// All memory of one context for one example: arena, inputs, outputs.
  ///
  /// It is 0 when the input size is not known.
  public let context: Int
  /// The peak of memory held while parameters were read and packed.
  ///
  /// It includes the parameters packed so far, the current parameter as its source returned it and
  /// as Float32, and its packed form. A comparison that ``CompileOptions/verify`` requests also
  /// reads parameters, and these reads are included. It is 0 for a compiled file, whose parameters
  /// are not packed.
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
  /// The memory of the model, of each context, and of loading.
  public var memory: MemoryReport {
    MemoryReport(
      packedParameters: byteCounts.constants, plans: byteCounts.executables,
      arena: report.arenaBytes,
      // Without known input sizes a context has no size: it is 0.
      context: (try? workspaceSize()) ?? 0,
      loadingPeak: origin.compiler?.parameters.loading.peak ?? 0)
  }
}
