import ForgeShapes
import Testing

@Suite struct ValueIdentityTests {
  @Test func copiesOfAnArrayAreOne() throws {
    let values: [Float] = [1, 2, 3]
    let copy = values
    let identity = try #require(ValueIdentity(array: values))
    #expect(identity == ValueIdentity(array: copy))
    var other = values
    other[0] = 1
    #expect(identity != ValueIdentity(array: other))
    withExtendedLifetime((values, copy, other)) {}
  }

  @Test func emptyArraysHaveNone() {
    #expect(ValueIdentity(array: [Float]()) == nil)
  }

  @Test func placesAndTypesDiffer() {
    let file = ValueIdentity.Owner.file(
      device: 1, inode: 2, count: 100, seconds: 3, nanoseconds: 4)
    let later = ValueIdentity.Owner.file(
      device: 1, inode: 2, count: 100, seconds: 3, nanoseconds: 5)
    let identities: Set<ValueIdentity> = [
      ValueIdentity(file, 0..<4), ValueIdentity(file, 0..<8), ValueIdentity(file, 4..<8),
      ValueIdentity(later, 0..<4), ValueIdentity(file, 0..<4, type: .float16),
      ValueIdentity(file, 0..<4, type: .int8), ValueIdentity(file, 0..<4),
    ]
    #expect(identities.count == 6)
  }
}
