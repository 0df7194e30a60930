/// Tokens by their bytes: a tree whose children stand together, in the order of their bytes.
///
/// A node with many children has a row of 256 places, so that each byte of a text costs one look.
struct ByteTrie: Sendable {
  /// For each node the first of its children.
  private var firstChild: [UInt32] = []
  /// For each node its byte.
  private var labels: [UInt8] = []
  /// For each node the value of the token that ends there, or −1.
  private var values: [Int32] = []
  /// For each node the number of its row, or −1.
  private var rows: [Int32] = []
  /// Rows of 256 nodes, 0 for none.
  private var table: [UInt32] = []

  private static let fewChildren = 6

  /// The tree of tokens with a value each; of equal tokens the last one counts.
  init(_ tokens: [(bytes: ArraySlice<UInt8>, value: Int32)]) {
    let order = Self.sorted(tokens)
    struct Part {
      var lower, upper, depth: Int
    }
    firstChild = [0]
    labels = [0]
    values = [-1]
    rows = [-1]
    // Nodes are numbered level by level, so that children of a node are neighbors.
    var parts = [Part(lower: 0, upper: order.count, depth: 0)]
    var node = 0
    while node < parts.count {
      let part = parts[node]
      var position = part.lower
      while position < part.upper, tokens[order[position]].bytes.count == part.depth {
        values[node] = tokens[order[position]].value
        position += 1
      }
      firstChild[node] = UInt32(labels.count)
      let before = labels.count
      while position < part.upper {
        let token = tokens[order[position]].bytes
        let byte = token[token.startIndex + part.depth]
        var end = position + 1
        while end < part.upper {
          let other = tokens[order[end]].bytes
          guard other[other.startIndex + part.depth] == byte else { break }
          end += 1
        }
        parts.append(Part(lower: position, upper: end, depth: part.depth + 1))
        firstChild.append(0)
        labels.append(byte)
        values.append(-1)
        rows.append(-1)
        position = end
      }
      if labels.count - before > Self.fewChildren {
        rows[node] = Int32(table.count >> 8)
        table += [UInt32](repeating: 0, count: 256)
        let row = table.count - 256
        for child in before..<labels.count { table[row + Int(labels[child])] = UInt32(child) }
      }
      node += 1
    }
    firstChild.append(UInt32(labels.count))
  }

  /// The numbers of tokens in the order of their bytes; equal ones keep their order.
  private static func sorted(_ tokens: [(bytes: ArraySlice<UInt8>, value: Int32)]) -> [Int] {
    tokens.indices.sorted { a, b in
      let (first, second) = (tokens[a].bytes, tokens[b].bytes)
      let order = first.withUnsafeBytes { one in
        second.withUnsafeBytes { two -> Int in
          let count = min(one.count, two.count)
          for index in 0..<count where one[index] != two[index] {
            return one[index] < two[index] ? -1 : 1
          }
          return one.count == two.count ? 0 : one.count < two.count ? -1 : 1
        }
      }
      return order == 0 ? a < b : order < 0
    }
  }

  /// A view for the time of a search.
  @inline(__always)
  func withReader<Result>(_ body: (Reader) -> Result) -> Result {
    firstChild.withUnsafeBufferPointer { firstChild in
      labels.withUnsafeBufferPointer { labels in
        values.withUnsafeBufferPointer { values in
          rows.withUnsafeBufferPointer { rows in
            table.withUnsafeBufferPointer { table in
              body(
                Reader(
                  firstChild: firstChild, labels: labels, values: values, rows: rows,
                  table: table))
            }
          }
        }
      }
    }
  }

  /// What walks down the tree.
  struct Reader {
    fileprivate let firstChild: UnsafeBufferPointer<UInt32>
    fileprivate let labels: UnsafeBufferPointer<UInt8>
    fileprivate let values: UnsafeBufferPointer<Int32>
    fileprivate let rows: UnsafeBufferPointer<Int32>
    fileprivate let table: UnsafeBufferPointer<UInt32>

    /// The node below one by a byte; 0 if there is none.
    @inline(__always)
    func child(of node: Int, _ byte: UInt8) -> Int {
      let row = rows[node]
      if row >= 0 { return Int(table[Int(row) << 8 | Int(byte)]) }
      var child = Int(firstChild[node])
      let end = node + 1 < firstChild.count ? Int(firstChild[node + 1]) : labels.count
      while child < end {
        if labels[child] == byte { return child }
        child += 1
      }
      return 0
    }

    /// The value at a node, or −1.
    @inline(__always)
    func value(_ node: Int) -> Int32 { values[node] }

    /// The node at the end of bytes; `nil` if there is none.
    func node(_ bytes: some Sequence<UInt8>) -> Int? {
      var node = 0
      for byte in bytes {
        node = child(of: node, byte)
        if node == 0 { return nil }
      }
      return node
    }
  }
}
