/// Tokens and their ids: the bytes of all tokens in one array, and a hash table over them.
///
/// The hash has a seed of the process, so that no file can choose tokens that collide.
struct TokenTable: Sendable {
  /// The bytes of all tokens, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Where each token begins, and the end of the last one.
  private(set) var starts: [UInt32] = [0]
  /// The id of each token, in the order of the file.
  private(set) var ids: [Int32] = []
  /// For each slot of the hash table the number of a token plus one; 0 is an empty slot.
  private var slots: [UInt32] = [UInt32](repeating: 0, count: 64)

  private static let seed = UInt64.random(in: 1 ... .max)

  /// The number of tokens.
  var count: Int { ids.count }

  // MARK: Hashing

  @inline(__always)
  static func hash(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: count)
    let raw = UnsafeRawPointer(bytes)
    var position = 0
    while position + 8 <= count {
      state = mix(state ^ raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while position < count {
      rest |= UInt64(bytes[position]) << shift
      shift += 8
      position += 1
    }
    return mix(state ^ rest)
  }

  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let folded = (product.high ^ product.low) &+ seed
    let again = folded.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return again.high ^ again.low
  }

  // MARK: Adding

  /// Adds a token; one that is there already gets the new id, as in a dictionary.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooLarge`.
  mutating func add(_ token: [UInt8], id: Int32) throws(TokenizerError) {
    if let index = index(of: token) {
      ids[index] = id
      return
    }
    guard bytes.count + token.count < Int(UInt32.max), count < Int(Int32.max) - 1 else {
      throw TokenizerError(.tooLarge, "the vocabulary is too large")
    }
    bytes += token
    starts.append(UInt32(bytes.count))
    ids.append(id)
    if count * 2 > slots.count { grow() } else { place(count - 1) }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in 0..<count { place(index) }
  }

  private mutating func place(_ index: Int) {
    let (lower, upper) = (Int(starts[index]), Int(starts[index + 1]))
    let hash = bytes.withUnsafeBufferPointer { buffer -> UInt64 in
      guard let start = buffer.baseAddress else { return Self.mix(Self.seed) }
      return Self.hash(start + lower, upper - lower)
    }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(index + 1)
  }

  // MARK: Looking up

  /// The number of a token.
  func index(of token: [UInt8]) -> Int? {
    token.withUnsafeBufferPointer { index(of: $0, 0, $0.count) }
  }

  /// The number of the token that is a range of bytes.
  @inline(__always)
  func index(of text: UnsafeBufferPointer<UInt8>, _ lower: Int, _ upper: Int) -> Int? {
    let length = upper - lower
    return bytes.withUnsafeBufferPointer { bytes in
      slots.withUnsafeBufferPointer { slots in
        starts.withUnsafeBufferPointer { starts -> Int? in
          let hash: UInt64
          if let start = text.baseAddress {
            hash = Self.hash(start + lower, length)
          } else {
            var none: UInt8 = 0
            hash = Self.hash(&none, 0)
          }
          let mask = slots.count - 1
          var slot = Int(truncatingIfNeeded: hash) & mask
          while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            let first = Int(starts[index])
            if Int(starts[index + 1]) - first == length {
              var same = true
              for offset in 0..<length where bytes[first + offset] != text[lower + offset] {
                same = false
                break
              }
              if same { return index }
            }
            slot = (slot + 1) & mask
          }
          return nil
        }
      }
    }
  }

  /// The id of a token.
  func id(of token: [UInt8]) -> Int32? { index(of: token).map { ids[$0] } }

  /// The id of a token.
  func id(of token: String) -> Int32? { id(of: Array(token.utf8)) }

  /// The bytes of a token by its number.
  func token(_ index: Int) -> ArraySlice<UInt8> {
    bytes[Int(starts[index])..<Int(starts[index + 1])]
  }
}

/// The token of each id: an array where ids are dense, a dictionary where they have holes.
struct IdTable: Sendable {
  private var dense: [Int32] = []
  private var sparse: [Int32: Int32] = [:]

  /// The table of a vocabulary; of two tokens with one id the last one counts.
  init(_ table: TokenTable) {
    let highest = Int(table.ids.max() ?? -1)
    if highest < 4 * table.count + 4096 {
      dense = [Int32](repeating: -1, count: highest + 1)
      for (index, id) in table.ids.enumerated() { dense[Int(id)] = Int32(index) }
    } else {
      for (index, id) in table.ids.enumerated() { sparse[id] = Int32(index) }
    }
  }

  /// The number of the token with an id.
  @inline(__always)
  func index(of id: Int32) -> Int? {
    if Int(id) < dense.count, id >= 0 {
      let index = dense[Int(id)]
      return index < 0 ? nil : Int(index)
    }
    return sparse.isEmpty ? nil : sparse[id].map { Int($0) }
  }
}
