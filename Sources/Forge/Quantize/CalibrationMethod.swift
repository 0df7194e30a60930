/// How the range of a tensor follows from the numbers that samples leave in it.
///
/// The integers 0 to 255 then stand for the range, widened to hold 0.
public enum CalibrationMethod: Sendable, Hashable {
  /// From the least number to the greatest.
  case minimumAndMaximum
  /// As much of each end is cut off as holds half of what is left of this percentage: with 99.9,
  /// one number of 2,000 lies below the range and one above it.
  case percentile(Double)
  /// The threshold whose 128 levels lose the least information about the magnitudes, by the
  /// divergence of Kullback and Leibler.
  ///
  /// Source: Migacz, 8-bit Inference with TensorRT, 2017.
  case entropy

  /// What is wrong with the method; `nil` if nothing is.
  var problem: (received: String, needs: String)? {
    if case .percentile(let share) = self, !(share > 0 && share <= 100) {
      ("percentile(\(share))", "a percentage above 0, up to 100")
    } else {
      nil
    }
  }
}
