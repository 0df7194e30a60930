extension CompiledModel {
  /// Gives back the memory that is kept for the next prediction.
  ///
  /// That is the memory of the last prediction without a context or a runner, and the plans for
  /// inputs of any size. Packed parameters, contexts and runners keep theirs. The next prediction
  /// allocates memory and plans its size again. Other threads may predict at the same time.
  ///
  /// ```swift
  /// network.releaseMemory()  // after a burst of requests
  /// ```
  public func releaseMemory() {
    _ = spare.take()
    executables.removeAll(except: fixedExecutable)
  }
}
