import Forge

/// The warning about times of kernels that were built without optimization.
enum BuildWarning {
  /// Prints the warning once, on standard error, if it applies to a compiled network.
  static func print(for report: CompileReport) {
    if !report.kernelsAreOptimized { _ = once }
  }

  private static let once: Void = ToolOutput.writeError(
    "warning: the kernels were \(CompileReport.notOptimized)")
}
