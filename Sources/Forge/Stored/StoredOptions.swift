import ForgeOperations

/// The options of a compile that matter while a network predicts.
struct StoredOptions: StoredValue {
  private let maximumBatch, planCacheSize, checks: Int
  private let precision: CompileOptions.Precision

  init(_ options: CompileOptions) {
    (maximumBatch, planCacheSize) = (options.maximumBatch, options.planCacheSize)
    (checks, precision) = (options.checks.rawValue, options.precision)
  }

  /// The options, with the threads of this process.
  func options(threads: CompileOptions.Threads) -> CompileOptions {
    CompileOptions(
      maximumBatch: maximumBatch, checks: CompileOptions.Checks(rawValue: checks),
      planCacheSize: planCacheSize, threads: threads, precision: precision)
  }

  func write(to writer: inout StoredWriter) {
    for number in [maximumBatch, planCacheSize, checks] { writer.write(number) }
    writer.write(precision.rawValue)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (maximumBatch, planCacheSize) = (try reader.read(), try reader.read())
    checks = try reader.read()
    guard let precision = CompileOptions.Precision(rawValue: try reader.read()),
      maximumBatch >= 1, planCacheSize >= 1
    else { throw .damaged }
    self.precision = precision
  }
}
