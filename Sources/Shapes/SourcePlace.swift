/// A place in the user's source, captured where a layer is written.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// Module and file, as `#fileID` gives them: `App/Net.swift`.
  public let fileID: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int

  /// Creates a place; layers pass on what `#fileID`, `#line` and `#column` gave them.
  public init(fileID: String, line: Int, column: Int) {
    self.fileID = fileID
    self.line = line
    self.column = column
  }

  /// The place as compilers print it: `App/Net.swift:14:7`.
  public var description: String { "\(fileID):\(line):\(column)" }
}
