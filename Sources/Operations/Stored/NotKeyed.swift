/// A part of a value that no key needs: it follows from other parts, or changes no result.
///
/// Types in keys have encodings that Swift makes, so that each part must be encodable. Whoever adds
/// a part that is not must say so with this type.
package struct NotKeyed<Value>: Encodable {
  package var value: Value

  package init(_ value: Value) { self.value = value }

  /// Encodes nothing.
  package func encode(to encoder: any Encoder) {}
}

extension NotKeyed: Sendable where Value: Sendable {}
