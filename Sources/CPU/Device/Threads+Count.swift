import ForgeOperations

extension CompileOptions.Threads {
  /// The number of threads on a machine with these usable cores.
  package func count(usable: @autoclosure () -> Device.UsableCores) -> Int {
    switch self {
    case .automatic: min(usable().physical, Self.automaticMaximum)
    // One thread does not depend on the machine.
    case .atMost(1): 1
    case .atMost(let count): min(count, usable().logical, Self.maximum)
    case .exactly(let count): count
    }
  }
}
