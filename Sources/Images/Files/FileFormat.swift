/// The supported file formats, detected by their first bytes.
enum FileFormat {
  case jpeg
  case png
  case portableAnymap

  /// Detects the format of a file; the error names a known but unsupported format.
  init(of bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard let first = bytes.first else { throw .empty() }
    if bytes.starts(with: [0xFF, 0xD8]) {
      self = .jpeg
    } else if bytes.starts(with: Self.pngSignature) {
      self = .png
    } else if first == UInt8(ascii: "P"), bytes.count > 1, "2356".utf8.contains(bytes[1]) {
      self = .portableAnymap
    } else if let known = Self.known(bytes) {
      throw .unknownFormat(known)
    } else {
      let digits = bytes.prefix(4).map { byte in
        [byte >> 4, byte & 15].map { String($0, radix: 16, uppercase: true) }.joined()
      }
      throw .unknownFormat("\(digits.joined(separator: " ")) as the first bytes")
    }
  }

  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The name of a known but unsupported format.
  private static func known(_ bytes: UnsafeRawBufferPointer) -> String? {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if bytes.count < pngSignature.count, pngSignature.starts(with: bytes) {
      return "the start of a PNG file"
    }
    if bytes.count == 1, bytes[0] == 0xFF { return "the start of a JPEG file" }
    if has("GIF8") { return "a GIF file" }
    if has("RIFF"), has("WEBP", at: 8) { return "a WebP file" }
    if has("BM") { return "a BMP file" }
    if has("II*\0") || has("MM\0*") { return "a TIFF file" }
    if has("ftyp", at: 4) { return "a HEIF or AVIF file, or a video" }
    if has("P1") || has("P4") { return "a PBM file" }
    if has("P7") { return "a PAM file" }
    if has("%PDF") { return "a PDF file" }
    return nil
  }
}
