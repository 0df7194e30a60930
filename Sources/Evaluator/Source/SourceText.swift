#if Macros
  import ForgeShapes
  import SwiftSyntax

  /// One piece of source: what a macro was given, or a whole file.
  ///
  /// It converts positions in its syntax tree to places in the user's file.
  public final class SourceText {
    /// The root of the syntax tree.
    let root: Syntax
    /// The file as `#fileID` names it.
    let fileID: String
    /// Whether the compiler can show a message at a node of the tree.
    let isVisible: Bool
    private let origin: Int
    private let lineStarts: [Int]
    private let firstLine: Int
    private let firstColumn: Int

    /// Creates a piece of source.
    ///
    /// - Parameters:
    ///   - root: the root of its syntax tree.
    ///   - fileID: the file as `#fileID` names it.
    ///   - line: the line of the first byte of the tree, its trivia included, from 1.
    ///   - column: the column of that byte, from 1.
    ///   - isVisible: whether the compiler can show a message at a node of the tree.
    public init(
      _ root: some SyntaxProtocol, fileID: String, line: Int = 1, column: Int = 1,
      isVisible: Bool = true
    ) {
      self.root = Syntax(root)
      self.fileID = fileID
      self.isVisible = isVisible
      origin = root.position.utf8Offset
      firstLine = line
      firstColumn = column
      var starts = [0]
      let text = root.syntaxTextBytes
      for (offset, byte) in text.enumerated() {
        // A line ends with LF, CR LF or CR.
        let isReturn = byte == 13 && !(offset + 1 < text.count && text[offset + 1] == 10)
        if byte == 10 || isReturn { starts.append(offset + 1) }
      }
      lineStarts = starts
    }

    /// The same piece of source with another tree.
    func replacing(root: Syntax) -> SourceText {
      SourceText(root, fileID: fileID, line: firstLine, column: firstColumn, isVisible: isVisible)
    }

    /// The place of a position in the tree.
    func place(_ position: AbsolutePosition) -> SourcePlace {
      let offset = position.utf8Offset - origin
      var (low, high) = (0, lineStarts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if lineStarts[middle] <= offset { low = middle } else { high = middle }
      }
      let column = offset - lineStarts[low] + (low == 0 ? firstColumn : 1)
      return SourcePlace(fileID: fileID, line: firstLine + low, column: column)
    }

    /// The position of a place; `nil` if the tree does not hold it.
    func position(of place: SourcePlace) -> AbsolutePosition? {
      let line = place.line - firstLine
      guard place.fileID == fileID, lineStarts.indices.contains(line) else { return nil }
      let offset = lineStarts[line] + place.column - (line == 0 ? firstColumn : 1)
      return AbsolutePosition(utf8Offset: origin + offset)
    }
  }
#endif
