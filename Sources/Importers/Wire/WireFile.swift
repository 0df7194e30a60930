import Forge

/// A file in the wire format of Protocol Buffers, of which only what is asked for is read.
///
/// A message is a range of the file, and whoever needs it walks its fields. Strings and lists are
/// copied, weights stay in the file. One budget bounds the number of messages and the memory of
/// what is copied, whatever the file states; the depth of messages has its own limit.
///
/// Source: Protocol Buffers, "Encoding".
package final class WireFile {
  /// The path, for messages.
  package let path: String
  /// Where files are that this one names.
  let files: ModelFiles
  /// What is said of a file that is no such message.
  private let headline: String
  /// The file through which messages are walked.
  private let file: InputFile
  /// The file of which ranges outlive the import.
  private let ranges: InputFile
  private let limits: ImportLimits
  /// The beginning of the file, by which its format is recognized.
  package let head: FileHead
  /// The bytes that the file really has, without holes.
  package let byteCount: Int
  private var window: [UInt8] = []
  private var windowStart = 0
  private var messages = 0
  private var copiedBytes = 0

  private static let windowCount = 1 << 13
  /// The bytes that strings and lists may take for each byte of the file: a list of integers of one
  /// byte each needs eight.
  private static let bytesPerByte = 8
  /// The memory that a message takes at least for what is read of it.
  private static let bytesPerMessage = 64
  /// Bytes of fewer than this are copied rather than left in the file.
  private static let smallestRange = 1 << 12

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - options: the limits on its size, its messages and their depth, and files beside it.
  ///   - headline: what is said of a file that is no such message.
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable` or `tooLarge`.
  package convenience init(
    path: String, options: ImportOptions, headline: String
  ) throws(ImportError) {
    let file: InputFile
    do throws(LoadError) { file = try InputFile(path: path) } catch {
      throw ImportError(loading: error)
    }
    try self.init(
      file, path: path, limits: options.limits, files: ModelFiles(beside: path, options),
      headline: headline)
  }

  /// Reads bytes in memory as a file.
  ///
  /// - Parameters:
  ///   - bytes: the content.
  ///   - name: what stands for the path in messages.
  ///   - options: the limits on the size, the messages and their depth, and other files.
  ///   - headline: what is said of bytes that are no such message.
  /// - Throws: ``ImportError``: `unreadable` or `tooLarge`.
  package convenience init(
    _ bytes: [UInt8], name: String, options: ImportOptions, headline: String
  ) throws(ImportError) {
    try self.init(
      InputFile(bytes, name: name), path: name, limits: options.limits,
      files: ModelFiles(besideBytes: name, options),
      headline: headline)
  }

  private init(
    _ file: InputFile, path: String, limits: ImportLimits, files: ModelFiles, headline: String
  ) throws(ImportError) {
    self.file = file
    ranges = file.closed
    byteCount = file.storedByteCount
    self.path = path
    self.limits = limits
    self.files = files
    self.headline = headline
    try limits.check(fileBytes: file.count, path: path)
    do throws(LoadError) { head = FileHead(try file.head(), name: path) } catch {
      throw ImportError(loading: error)
    }
  }

  /// The same file, to be walked once more.
  ///
  /// A file that has changed since is refused when it is read.
  package struct Source: Sendable {
    fileprivate let file: InputFile
    fileprivate let path: String
    fileprivate let limits: ImportLimits
    fileprivate let files: ModelFiles
    fileprivate let headline: String

    /// The file with a budget of its own.
    ///
    /// - Throws: ``ImportError`` when it can no longer be read.
    package func reopened() throws(ImportError) -> WireFile {
      try WireFile(file, path: path, limits: limits, files: files, headline: headline)
    }
  }

  /// What opens the file again.
  package var source: Source {
    Source(file: ranges, path: path, limits: limits, files: files, headline: headline)
  }

  /// The message that the file is.
  package var message: WireMessage { WireMessage(self, 0..<file.count, depth: 0) }

  /// The error of a file that is no such message.
  package var malformed: ImportError {
    ImportError(.malformed, headline, path: path, received: head.beginning)
  }

  // MARK: Bytes

  /// The next number of variable length.
  ///
  /// - Throws: ``ImportError``: `malformed` at the end or if it is too long; `unreadable`.
  package func varint(at position: inout Int, end: Int) throws(ImportError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < end else { throw malformed }
      let byte = try byte(at: position)
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw malformed
  }

  /// A number of a fixed width in little-endian order.
  package func fixed<Number: FixedWidthInteger>(
    _: Number.Type, at position: inout Int, end: Int
  ) throws(ImportError) -> Number {
    let width = MemoryLayout<Number>.size
    guard end - position >= width else { throw malformed }
    var value: Number = 0
    for index in 0..<width {
      value |= Number(truncatingIfNeeded: try byte(at: position + index)) << (8 * index)
    }
    position += width
    return value
  }

  /// A copy of some bytes, which counts against the budget.
  package func copy(_ range: Range<Int>) throws(ImportError) -> [UInt8] {
    try take(bytes: range.count)
    if range.lowerBound >= windowStart, range.upperBound <= windowStart + window.count {
      return Array(window[(range.lowerBound - windowStart)..<(range.upperBound - windowStart)])
    }
    return try read(range)
  }

  /// Some bytes, which stay in the file unless they are few.
  package func stored(_ range: Range<Int>) throws(ImportError) -> any StoredBytes {
    guard range.count >= Self.smallestRange else { return BytesInMemory(try copy(range)) }
    do throws(LoadError) {
      return try FileRange(ranges, offset: range.lowerBound, byteCount: range.count)
    } catch { throw ImportError(loading: error) }
  }

  private func byte(at position: Int) throws(ImportError) -> UInt8 {
    if position < windowStart || position >= windowStart + window.count {
      try moveWindow(to: position)
    }
    return window[position - windowStart]
  }

  /// Reads the bytes from a position on into the memory of the window.
  private func moveWindow(to position: Int) throws(ImportError) {
    let end = min(position + Self.windowCount, file.count)
    var bytes: [UInt8] = []
    swap(&bytes, &window)
    if bytes.count != end - position { bytes = Array(repeating: 0, count: end - position) }
    try read(position..<end, into: &bytes)
    swap(&bytes, &window)
    windowStart = position
  }

  private func read(_ range: Range<Int>) throws(ImportError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    try read(range, into: &bytes)
    return bytes
  }

  private func read(_ range: Range<Int>, into bytes: inout [UInt8]) throws(ImportError) {
    do throws(LoadError) {
      try file.checkReadable(range)
      try bytes.withUnsafeMutableBytes { memory in
        Result { () throws(LoadError) in try file.read(range, into: memory) }
      }.get()
    } catch { throw ImportError(loading: error) }
  }

  // MARK: Budget

  /// A copy of the bytes of a text, which counts against the budget.
  package func text(_ range: Range<Int>) throws(ImportError) -> [UInt8] {
    try take(bytes: MemoryLayout<String>.size)
    return try copy(range)
  }

  /// Checks a text before it becomes a key.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package func check(name: String) throws(ImportError) { try limits.check(name: name, path: path) }

  /// Takes memory for strings and lists.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package func take(bytes: Int) throws(ImportError) {
    copiedBytes = copiedBytes.addingSaturated(bytes)
    let limit = limits.foldedBytes.addingSaturated(
      byteCount.multipliedSaturated(by: Self.bytesPerByte))
    guard copiedBytes <= limit else {
      throw .beyondBudget(
        "the names and lists of the file are too large", ImportError.bytes(copiedBytes),
        needs: "at most \(limit)", limit: "foldedBytes", path: path)
    }
  }

  /// Takes one more message at some depth.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package func takeMessage(depth: Int) throws(ImportError) {
    messages += 1
    try take(bytes: Self.bytesPerMessage)
    let most = limits.nodes.addingSaturated(limits.tensors).multipliedSaturated(by: 8)
    guard messages <= most else {
      throw .beyondBudget(
        "the file has too many parts", "more than \(most) messages", needs: nil,
        limit: "nodes or tensors", path: path)
    }
    // A graph in a node is three messages deeper than the graph with the node.
    let deepest = max(limits.depth, 1).multipliedSaturated(by: 4)
    guard depth <= deepest else {
      throw .beyondBudget(
        "the file is nested too deeply", "more than \(deepest) nested messages", needs: nil,
        limit: "depth", path: path)
    }
  }
}
