/// Where the values of a parameter are stored.
///
/// Equal identities mean equal elements in equal order, as long as both owners exist.
package struct ValueIdentity: Hashable, Sendable {
  /// What holds the bytes.
  package enum Owner: Hashable, Sendable {
    /// A version of a file; the time is that of its last change.
    case file(device: UInt64, inode: UInt64, count: Int, seconds: Int, nanoseconds: Int)
    /// An object in memory.
    case object(ObjectIdentifier)
    /// An array in memory, by its address.
    case array(UInt)
  }

  /// What holds the bytes.
  package let owner: Owner
  /// The place of the bytes in what holds them; empty for all of them.
  package let range: Range<Int>
  /// The type of the elements; `nil` if the owner holds no other.
  package let type: ElementType?

  /// Names some bytes, or all that an owner holds.
  package init(_ owner: Owner, _ range: Range<Int> = 0..<0, type: ElementType? = nil) {
    (self.owner, self.range, self.type) = (owner, range, type)
  }

  /// Names the elements of an array; `nil` if it is empty.
  package init?<Element>(array: [Element], type: ElementType? = nil) {
    // An array in memory has its address as long as it exists, and so have its copies.
    guard let address = array.withUnsafeBytes({ $0.baseAddress }), !array.isEmpty else {
      return nil
    }
    self.init(.array(UInt(bitPattern: address)), 0..<array.count, type: type)
  }
}
