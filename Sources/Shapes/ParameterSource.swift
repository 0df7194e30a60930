/// The values of one parameter, wherever they are.
///
/// Forge reads them once while compiling, straight from where they lie into its packed form.
public protocol ParameterData: Sendable {
  /// The number of values.
  var count: Int { get }
  /// The type they are stored in.
  var elementType: ElementType { get }
  /// The axis order they are stored in.
  var layout: ParameterLayout { get }
  /// The sizes the source states, in its own axis order; `nil` when it knows only the count.
  var sizes: [Int]? { get }
  /// Where the values come from, for messages: `weights/conv1_W.bin`.
  var origin: String { get }
  /// The bytes of memory that ``withUnsafeBytes(_:)`` takes for the time of a call, so that a compile can
  /// report what it held; 0 where the values are in memory as they are.
  var temporaryByteCount: Int { get }
  /// Gives the bytes to `body` for the time of the call: `count` little-endian elements.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
  /// Copies the elements into memory, which is exactly as large as they are.
  ///
  /// Values that are read from a file are read into it directly, without the memory that
  /// ``withUnsafeBytes(_:)`` takes.
  func read(into memory: UnsafeMutableRawBufferPointer) throws
}

extension ParameterData {
  /// Forge's own axis order.
  public var layout: ParameterLayout { .forge }
  /// Unknown.
  public var sizes: [Int]? { nil }
  /// Single precision.
  public var elementType: ElementType { .float32 }
  /// None: the values are in memory.
  public var temporaryByteCount: Int { 0 }
  /// Copies what ``withUnsafeBytes(_:)`` gives.
  ///
  /// - Parameter memory: receives the elements.
  /// - Throws: `ShapeError` when there are fewer bytes than that, and what ``withUnsafeBytes(_:)`` throws.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws {
    try withUnsafeBytes { bytes in
      guard bytes.count >= memory.count else {
        throw ShapeError(
          .shapeMismatch, "\(origin) shrank while it was read",
          received: "\(bytes.count) bytes", needs: "\(memory.count) bytes")
      }
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<memory.count]))
    }
  }
}

/// Anything that holds the parameters of a model by layer name and type.
public protocol ParameterSource: Sendable {
  /// Whether parameters are found by their layers' names; then every layer that has some needs one.
  var goesByName: Bool { get }
  /// The layer names there are values for, when the source can list them; used for "did you mean".
  var availableNames: [String] { get }
  /// The source, prepared for exactly these parameters in the order of the plan.
  ///
  /// A source that goes by order instead of by name matches them here.
  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource
  /// The values for `spec`, or `nil` when the source has none.
  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)?
}

extension ParameterSource {
  /// By name.
  public var goesByName: Bool { true }
  /// None listed.
  public var availableNames: [String] { [] }
  /// The source as it is.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource { self }
}
