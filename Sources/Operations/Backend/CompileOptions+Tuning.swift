extension CompileOptions {
  /// How the kernels of convolutions are chosen.
  ///
  /// Every way keeps to ``CompileOptions/accuracy``, ``CompileOptions/preference`` and
  /// ``CompileOptions/disabledRewrites``. ``CompileReport/tuning`` says what was chosen. Models
  /// whose inputs take any size are planned by the cost model, for all sizes alike.
  public enum Tuning: Sendable, Hashable {
    /// By an estimate of their cost: a function of model, options and instruction set alone.
    case costModel
    /// By timing them on this machine while the model is compiled.
    ///
    /// Plans with one kernel exchanged for another per convolution run in turns with the best so
    /// far, on seeded random inputs, with the threads of a prediction; custom layers are run as
    /// well. It takes the time of some hundred predictions, and ends at the latest when the
    /// comparison is over in which ten seconds have passed. Two plans' weights are held at once.
    /// Another compile may choose otherwise, and have other last bits: ``recorded(_:)`` with the
    /// record of the first gives the same again.
    case measured
    /// As recorded before: nothing is timed, and the plan is the same to the bit.
    ///
    /// A compile fails when the record is of another instruction set, or has a kernel that is not
    /// there or not allowed for a convolution of the model. Convolutions of which it has nothing
    /// are planned by the cost model; what it has of others is passed over.
    case recorded(TuningRecord)
  }

  /// Stands for the clock of ``Tuning/measured`` in tests: the seconds of a convolution by a
  /// kernel.
  package typealias TuningTimer =
    @Sendable (TuningRecord.Convolution, TuningRecord.Kernel) -> Double
}
