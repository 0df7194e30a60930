/// A location in the user's source, captured where a layer is written.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// Module and file, as in `#fileID`: `App/Net.swift`.
  public let fileID: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int

  /// Creates a location from `#fileID`, `#line` and `#column`.
  ///
  /// While a ready architecture is described, it is the location of the call of its function.
  public init(fileID: String, line: Int, column: Int) {
    if let caller = Self.caller {
      self = caller
    } else {
      (self.fileID, self.line, self.column) = (fileID, line, column)
    }
  }

  /// The place that has called the function of a ready architecture.
  @TaskLocal private static var caller: SourcePlace?

  /// Describes layers whose mistakes are those of the arguments of a call.
  ///
  /// - Parameters:
  ///   - caller: the place of the call.
  ///   - describe: describes the layers.
  /// - Returns: what the closure returns.
  package static func describing<Result>(
    for caller: SourcePlace, _ describe: () -> Result
  ) -> Result {
    $caller.withValue(caller, operation: describe)
  }

  /// The location of a layer that does not capture one; messages leave it out.
  public static let unknown = SourcePlace(fileID: "", line: 0, column: 0)

  /// The location as compilers print it: `App/Net.swift:14:18`.
  public var description: String { "\(fileID):\(line):\(column)" }
}
