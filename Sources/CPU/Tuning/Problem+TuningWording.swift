import ForgeOperations
import ForgeShapes

extension Problem {
  static func recordOfVersion(_ version: Int, needs: Int) -> Problem {
    Problem(
      headline: "the tuning record is of another version",
      details: [
        ("received", "version \(version)"), ("needs", "version \(needs)"),
        ("remedy", "measure again with tuning: .measured"),
      ])
  }

  static func recordOfInstructionSet(_ name: String, needs: String) -> Problem {
    Problem(
      headline: "the tuning record is of another instruction set",
      details: [
        ("received", "\"\(name)\""), ("needs", "\"\(needs)\", which the model is compiled for"),
        ("remedy", "measure again with tuning: .measured, or set instructionSet"),
      ])
  }

  static func impossibleKernel(
    _ convolution: TuningRecord.Convolution, kernel: TuningRecord.Kernel, possible: [String]
  ) -> Problem {
    Problem(
      headline: "the tuning record has a kernel that cannot be used here",
      details: [
        ("received", "\(kernel)"), ("for", "\(convolution)"),
        ("needs", possible.joined(separator: "\n")),
        ("remedy", "compile with the options of the record, or measure again"),
      ])
  }

  static func contradictoryRecord(
    _ convolution: TuningRecord.Convolution, kernels: [String]
  ) -> Problem {
    Problem(
      headline: "the tuning record has several kernels for one convolution",
      details: [
        ("received", kernels.joined(separator: "\n")), ("for", "\(convolution)"),
        ("needs", "one"),
      ])
  }
}
