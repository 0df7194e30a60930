/// A token that requests must carry.
public struct BearerToken: Sendable {
  private let bytes: [UInt8]

  /// Creates a token.
  ///
  /// - Parameter text: the token; `nil` is returned for one without visible characters.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    self.bytes = bytes
  }

  /// Checks an `Authorization` header, in a time that does not depend on where it differs.
  ///
  /// - Throws: ``ServingError`` of kind `unauthorized`.
  package func check(_ header: String?) throws(ServingError) {
    let scheme = "bearer "
    guard let header, header.lowercased().hasPrefix(scheme) else {
      throw ServingError(.unauthorized, "the request needs a bearer token")
    }
    let given = Array(header.utf8.dropFirst(scheme.utf8.count))
    var difference = given.count ^ bytes.count
    for (index, byte) in given.enumerated() {
      difference |= Int(byte ^ bytes[index % bytes.count])
    }
    guard difference == 0 else {
      throw ServingError(.unauthorized, "the bearer token is wrong")
    }
  }
}
