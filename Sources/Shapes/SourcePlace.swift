/// A location in the user's source, captured where a layer is written.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// Module and file, as in `#fileID`: `App/Net.swift`.
  public let fileID: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int

  /// Creates a location from `#fileID`, `#line` and `#column`.
  public init(fileID: String, line: Int, column: Int) {
    self.fileID = fileID
    self.line = line
    self.column = column
  }

  /// The location of a layer that does not capture one; messages leave it out.
  public static let unknown = SourcePlace(fileID: "", line: 0, column: 0)

  /// The location as compilers print it: `App/Net.swift:14:18`.
  public var description: String { "\(fileID):\(line):\(column)" }
}
