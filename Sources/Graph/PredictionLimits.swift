/// What one prediction of a network from a file may take, by the limits of its import.
package struct PredictionLimits: Sendable, Hashable {
  /// The most bytes of values that exist at the same time.
  package let bytes: Int
  /// The most work in units of a multiply-add.
  package let work: Int
  /// The file of the network, for messages.
  package let path: String?

  /// Creates limits.
  package init(bytes: Int, work: Int, path: String?) {
    self.bytes = bytes
    self.work = work
    self.path = path
  }
}
