/// Where a layer is described: a location in the user's source, or a node of a model file.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// Module and file, as in `#fileID`: `App/Net.swift`; or the path of a model file.
  public let fileID: String
  /// The line, from 1; 0 in a model file.
  public let line: Int
  /// The column, from 1; 0 in a model file.
  public let column: Int
  /// The type and the name of the node in a model file: `Conv "/features/0"`; `nil` in source.
  public let entry: String?

  /// Creates a location from `#fileID`, `#line` and `#column`.
  ///
  /// While a ready architecture is described, it is the location of the call of its function;
  /// while a model file is imported, it is the file's node.
  public init(fileID: String, line: Int, column: Int) {
    if let caller = Self.caller {
      self = caller
    } else {
      (self.fileID, self.line, self.column, entry) = (fileID, line, column, nil)
    }
  }

  /// Creates the place that another process had.
  package init(fileID: String, line: Int, column: Int, entry: String?) {
    (self.fileID, self.line, self.column, self.entry) = (fileID, line, column, entry)
  }

  /// Creates the place of a node in a model file, or of the file as a whole.
  package init(file: String, entry: String? = nil) {
    (fileID, line, column, self.entry) = (file, 0, 0, entry)
  }

  /// The place that layers have in place of where they are written.
  @TaskLocal private static var caller: SourcePlace?

  /// Describes layers whose mistakes are those of the arguments of a call, or of a model file.
  ///
  /// - Parameters:
  ///   - caller: the place of the call, or of the node.
  ///   - describe: describes the layers.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws.
  package static func describing<Value, Failure: Error>(
    for caller: SourcePlace, _ describe: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = $caller.withValue(caller) { Result(catching: describe) }
    return try result.get()
  }

  /// Whether a layer of another place may be the same layer used again.
  package func isSameSource(as other: SourcePlace) -> Bool {
    (fileID, line, column) == (other.fileID, other.line, other.column)
  }

  /// The location of a layer that does not capture one; messages leave it out.
  public static let unknown = SourcePlace(fileID: "", line: 0, column: 0)

  /// The location as compilers print it, `App/Net.swift:14:18`, or the node: `net.onnx: Conv "a"`.
  public var description: String {
    line > 0
      ? "\(fileID.printable):\(line):\(column)"
      : [fileID, entry].compactMap { $0?.printable }.joined(separator: ": ")
  }
}
