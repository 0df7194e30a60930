#if Macros
  import Forge

  extension RealtimeContext {
    /// Computes the output of one example of a typed network, on this thread.
    ///
    /// As long as nothing else holds the values of `output`, it does not allocate.
    ///
    /// - Parameters:
    ///   - input: the input, whose sizes Swift has checked.
    ///   - output: receives the output.
    ///   - network: the network that the context was made of.
    /// - Throws: `PredictionError` when the context is that of another network.
    public func predict<Network: TypedNetwork>(
      _ input: borrowing Network.Input, into output: inout Network.Output,
      of network: Network.Type
    ) throws(PredictionError) where Network.Input: FixedTensor, Network.Output: FixedTensor {
      let values = input.values
      try output.withMutableValues { (target) throws(PredictionError) in
        try predict(values.span, into: &target)
      }
    }
  }
#endif
