extension CompileOptions {
  /// How the kernels of convolutions are chosen.
  ///
  /// Every method observes ``CompileOptions/accuracy``, ``CompileOptions/preference`` and
  /// ``CompileOptions/disabledRewrites``. ``CompileReport/tuning`` reports the choices. Models with
  /// unknown input sizes are planned by the cost model, for all sizes alike.
  public enum Tuning: Sendable, Hashable, Encodable {
    /// By an estimate of their cost, which depends only on the model, the options and the
    /// instruction set.
    case costModel
    /// By timing them on this machine during the compile.
    ///
    /// A plan with the best kernels so far and a plan with another kernel per convolution run
    /// alternately, on seeded random inputs and with the threads of a prediction. Custom layers run
    /// too. No comparison begins after ten seconds. The weights of two plans are held at a time.
    /// Another compile may choose other kernels, whose results differ in rounding; ``recorded(_:)``
    /// with the record of the first compile reproduces its choices.
    case measured
    /// From a record, without timing; the plan's results are bit-identical.
    ///
    /// The compile fails if the record is of another instruction set, or has a kernel that does not
    /// exist or is not allowed for a convolution of the model. The cost model chooses the kernels
    /// of convolutions that the record lacks. Entries for other convolutions are ignored.
    case recorded(TuningRecord)
  }

  /// Replaces the clock of ``Tuning/measured`` in tests: returns the seconds of a convolution with
  /// a kernel.
  package typealias TuningTimer =
    @Sendable (TuningRecord.Convolution, TuningRecord.Kernel) -> Double
}
