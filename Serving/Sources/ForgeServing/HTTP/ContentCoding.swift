import CServingSystem

/// The compression of a body, by its name in the header.
package enum ContentCoding: String, Sendable {
  case gzip
  case deflate

  /// The coding of a `Content-Encoding` header; `nil` for none.
  ///
  /// - Throws: ``ServingError`` of kind `unsupported` for another one.
  package static func named(_ header: String?) throws(ServingError) -> ContentCoding? {
    guard let name = header?.lowercased(), !name.isEmpty, name != "identity" else { return nil }
    guard let coding = ContentCoding(rawValue: name) else {
      throw ServingError(.unsupported, "the content encoding is neither gzip nor deflate")
    }
    return coding
  }

  /// The coding that an `Accept-Encoding` header names first; `nil` for none.
  package static func accepted(_ header: String?) -> ContentCoding? {
    for part in header?.split(separator: ",") ?? [] {
      let fields = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let name = fields.first, !fields.dropFirst().contains(where: Self.isZero) else {
        continue
      }
      if let coding = ContentCoding(rawValue: name) { return coding }
    }
    return nil
  }

  private static func isZero(_ weight: String) -> Bool {
    weight.hasPrefix("q=") && Double(weight.dropFirst(2)) == 0
  }

  /// The decompressed bytes of a body.
  ///
  /// - Throws: ``ServingError`` when the data is damaged or more than `limit` bytes.
  package static func decompressed(
    _ bytes: ArraySlice<UInt8>, limit: Int
  ) throws(ServingError) -> [UInt8] {
    var stream = z_stream()
    guard serving_inflate_begin(&stream) == Z_OK else {
      throw ServingError(.failed, "not enough memory to decompress the body")
    }
    defer { inflateEnd(&stream) }
    var input = Array(bytes)
    var output: [UInt8] = []
    var status = Z_OK
    let step = 1 << 16
    input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(clamping: source.count)
      while status == Z_OK, output.count <= limit {
        let part = [UInt8](unsafeUninitializedCapacity: step) { buffer, written in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(step)
          status = inflate(&stream, Z_NO_FLUSH)
          written = step - Int(stream.avail_out)
        }
        output += part
        // Without progress the data is truncated.
        if status == Z_BUF_ERROR || part.isEmpty && stream.avail_in == 0 { break }
      }
    }
    guard output.count <= limit else {
      throw ServingError(.tooLarge, "the decompressed body is larger than \(limit) bytes")
    }
    guard status == Z_STREAM_END else { throw .invalid("the compressed body is damaged") }
    return output
  }

  /// The compressed bytes of a body; `nil` if there is not enough memory.
  package func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard serving_deflate_begin(&stream, self == .gzip ? 1 : 0) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    let capacity = Int(deflateBound(&stream, UInt(input.count)))
    guard let size = UInt32(exactly: capacity), let count = UInt32(exactly: input.count) else {
      return nil
    }
    var isWhole = false
    let output = input.withUnsafeMutableBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: capacity) { buffer, written in
        stream.next_in = source.baseAddress
        stream.avail_in = count
        stream.next_out = buffer.baseAddress
        stream.avail_out = size
        isWhole = serving_deflate_all(&stream) == Z_STREAM_END
        written = capacity - Int(stream.avail_out)
      }
    }
    return isWhole ? output : nil
  }
}
