import ForgeOperations

extension CompileOptions.Threads {
  /// Returns the number of threads on a machine with these usable cores.
  package func count(usable: @autoclosure () -> Device.UsableCores) -> Int {
    switch self {
    case .automatic: min(usable().physical, Self.automaticMaximum)
    // One thread does not require reading the machine's topology.
    case .atMost(1): 1
    case .atMost(let count): min(count, usable().logical, Self.maximum)
    case .exactly(let count): count
    }
  }
}
