/// The values of one parameter, in whatever storage.
///
/// Forge reads them once while compiling, directly from their storage into their packed form.
public protocol ParameterData: Sendable {
  /// The number of values.
  var count: Int { get }
  /// The element type of the stored values.
  var elementType: ElementType { get }
  /// The axis order of the stored values.
  var layout: ParameterLayout { get }
  /// The sizes that the source states, in its own axis order; `nil` when it only knows the count.
  var sizes: [Int]? { get }
  /// Where the values come from, for messages: `weights/conv1_W.bin`.
  var origin: String { get }
  /// The bytes of memory that ``withUnsafeBytes(_:)`` holds during a call, for reports.
  ///
  /// It is 0 if the values are in memory already.
  var temporaryByteCount: Int { get }
  /// Calls `body` with the bytes of `count` little-endian elements, valid during the call.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
  /// Copies the elements into memory of exactly their size.
  ///
  /// Values of a file are read into it directly, without the memory that ``withUnsafeBytes(_:)``
  /// takes.
  func read(into memory: UnsafeMutableRawBufferPointer) throws
}

/// Values of which the source knows whether they are in the order of the tensor that they meet.
///
/// An importer moves tensors itself; what it has moved into the order of the file need not be
/// followed again.
package protocol OrderedParameterData: ParameterData {
  /// Whether they are.
  var isOrdered: Bool { get }
}

/// Values of which the source knows whether another parameter has the same.
package protocol IdentifiedParameterData: ParameterData {
  /// The tensor of the file that holds the values; `nil` if it is not known.
  ///
  /// Equal identities mean equal elements in equal order.
  var identity: ValueIdentity? { get }
}

/// A source that knows which of its parameters are one tensor of a file.
package protocol IdentifyingParameterSource: ParameterSource {
  /// The tensor of the file that holds a parameter; `nil` if it is not known.
  func identity(of spec: ParameterSpec) -> ValueIdentity?
}

extension ParameterData {
  /// Forge's own axis order.
  public var layout: ParameterLayout { .forge }
  /// `nil`: unknown.
  public var sizes: [Int]? { nil }
  /// Single precision.
  public var elementType: ElementType { .float32 }
  /// 0: the values are in memory.
  public var temporaryByteCount: Int { 0 }
  /// Copies the bytes from ``withUnsafeBytes(_:)``.
  ///
  /// - Parameter memory: receives the elements.
  /// - Throws: `ShapeError` when there are fewer bytes than it holds, and what
  ///   ``withUnsafeBytes(_:)`` throws.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws {
    try withBytes(atLeast: memory.count) {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<memory.count]))
    }
  }

  /// Calls `body` with at least `count` bytes: a source may have changed since it was checked.
  ///
  /// - Throws: `ShapeError` when there are fewer bytes, or when the source does not call the
  ///   closure, which would leave what `body` writes unwritten; and what the source throws.
  package func withBytes(
    atLeast count: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var isRead = false
    try withUnsafeBytes { bytes in
      isRead = true
      guard bytes.count >= count else {
        throw ShapeError(
          .shapeMismatch, "\(origin) shrank while it was read",
          received: ShapeError.bytes(bytes.count), needs: ShapeError.bytes(count))
      }
      try body(bytes)
    }
    guard isRead else {
      throw ShapeError(
        .shapeMismatch, "\(origin) returned no values", received: "0 bytes",
        needs: ShapeError.bytes(count),
        remedy: "call the closure of withUnsafeBytes with the values")
    }
  }
}

/// A source of the parameters of a model, by layer name and type.
public protocol ParameterSource: Sendable {
  /// Whether parameters are found by layer name; every layer with parameters then needs a name.
  var goesByName: Bool { get }
  /// The layer names with values, if the source can list them, for "did you mean".
  var availableNames: [String] { get }
  /// The file or folder of the source, for messages: `weights/net.h5`; `nil` for any other source.
  var origin: String? { get }
  /// Prepares the source for exactly these parameters in the order of the plan.
  ///
  /// A source that matches by order instead of by name does so here.
  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource
  /// The values for `spec`, or `nil` when the source has none.
  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)?
}

extension ParameterSource {
  /// `true`: by name.
  public var goesByName: Bool { true }
  /// Empty: none listed.
  public var availableNames: [String] { [] }
  /// `nil`: no file or folder.
  public var origin: String? { nil }
  /// Returns the source unchanged.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource { self }
}
