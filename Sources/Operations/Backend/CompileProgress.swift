/// How far a compile is.
public struct CompileProgress: Hashable, Sendable {
  /// The stages that take noticeable time, in order.
  public enum Stage: String, CaseIterable, Sendable {
    /// Every parameter is looked up and checked.
    case load
    /// The kernels of convolutions are timed, with the option `tuning: .measured`.
    case measure
    /// The plan is made; every parameter is read and packed.
    case plan
    /// The plan is compared with the reference executor, with the option `verify`.
    case verify
  }

  /// The stage.
  public let stage: Stage
  /// The part of the stage that is done, from 0 to 1.
  public let fraction: Double
}
