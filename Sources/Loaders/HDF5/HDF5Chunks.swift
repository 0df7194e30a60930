/// One stored chunk.
struct HDF5Chunk: Sendable {
  let address: Int
  /// The bytes it is stored in.
  let stored: Int
  /// The filters that were skipped, a bit each.
  let mask: Int
  /// Its index among the chunks of the dataset in row-major order.
  let number: Int
}

/// A dataset in chunks: blocks of equal sizes, each stored separately.
struct HDF5Chunks: Sendable {
  /// The index that finds chunks.
  enum Index: Sendable {
    case none
    /// By a tree of the older form.
    case tree(Int)
    case single(address: Int, stored: Int, mask: Int)
    /// A contiguous array of chunks.
    case implicit(Int)
    /// By a list, for datasets that cannot grow.
    case fixedArray(Int)
    /// By a list in parts, for datasets that can grow along one axis.
    case extensibleArray(Int)
    /// By a tree of the newer form, for datasets that can grow along several axes.
    case newTree(Int)
  }

  /// The sizes of the dataset, none of them 0.
  let sizes: [Int]
  /// The sizes it may grow to; `nil` for any.
  let maximum: [Int?]
  /// The sizes of a chunk.
  let chunk: [Int]
  /// The bytes of an unfiltered chunk.
  let byteCount: Int
  /// The bytes of one value.
  let elementByteCount: Int
  let filters: HDF5Filters
  let index: Index

  /// The number of chunks along each axis.
  let counts: [Int]

  /// Reads the index of all chunks that were written.
  func chunks(_ reader: HDF5Reader) throws(LoadError) -> [HDF5Chunk] {
    guard !sizes.contains(0) else { return [] }
    var list = HDF5ChunkList(self, reader)
    switch index {
    case .none: break
    case .tree(let address): try HDF5ChunkTree.read(address, into: &list)
    case .single(let address, let stored, let mask):
      try list.add(address: address, stored: stored, mask: mask, number: 0)
    case .implicit(let address): try list.addImplicit(address)
    case .fixedArray(let address): try HDF5FixedArray.read(address, into: &list)
    case .extensibleArray(let address): try HDF5ExtensibleArray.read(address, into: &list)
    case .newTree(let address): try HDF5NewChunkTree.read(address, into: &list)
    }
    return list.chunks
  }

  /// The number of chunks if all are written.
  var total: Int { counts.reduce(1, *) }

  /// The index of the chunk at a position, counted in chunks.
  func number(of place: some Sequence<Int>) -> Int {
    zip(place, counts).reduce(0) { $0 * $1.1 + $1.0 }
  }

  /// The position of a chunk, counted in chunks.
  func place(of number: Int) -> [Int] { Self.place(of: number, counts) }

  static func place(of number: Int, _ counts: [Int]) -> [Int] {
    var rest = number
    var place = counts
    for axis in counts.indices.reversed() {
      place[axis] = rest % counts[axis]
      rest /= counts[axis]
    }
    return place
  }
}

/// The chunks of a dataset, each of which is checked.
struct HDF5ChunkList {
  let layout: HDF5Chunks
  let reader: HDF5Reader
  private(set) var chunks: [HDF5Chunk] = []
  private var storedBytes = 0

  init(_ layout: HDF5Chunks, _ reader: HDF5Reader) {
    self.layout = layout
    self.reader = reader
  }

  /// Adds a chunk.
  mutating func add(address: Int, stored: Int, mask: Int, number: Int) throws(LoadError) {
    try reader.count(bytes: MemoryLayout<HDF5Chunk>.stride)
    try reader.check(address, stored, "a chunk")
    try layout.filters.check(
      stored: stored, byteCount: layout.byteCount, mask: mask, at: address)
    // A small file whose chunks share bytes could have huge values.
    storedBytes += stored
    guard storedBytes <= reader.head.count else {
      throw .damaged("more bytes in chunks than in the file")
    }
    chunks.append(HDF5Chunk(address: address, stored: stored, mask: mask, number: number))
  }

  /// Adds the chunks of a contiguous array.
  mutating func addImplicit(_ address: Int) throws(LoadError) {
    let order = try HDF5ChunkOrder(layout)
    for number in 0..<layout.total {
      let start = try order.offset(of: number, unit: layout.byteCount)
      let (place, overflow) = address.addingReportingOverflow(start)
      guard !overflow else { throw .damaged("a chunk lies outside the file", at: address) }
      try add(address: place, stored: layout.byteCount, mask: 0, number: number)
    }
  }
}

/// The order of chunks in a list, which has room for the largest size of the dataset.
struct HDF5ChunkOrder {
  private let layout: HDF5Chunks
  /// The distance in the list between neighbours along each axis.
  private let steps: [Int]

  /// Creates the order.
  ///
  /// An unlimited axis comes first, because the list grows at its end.
  init(_ layout: HDF5Chunks) throws(LoadError) {
    let endless = layout.maximum.firstIndex { $0 == nil }
    var steps = layout.counts
    var step = 1
    var overflows = false
    for axis in layout.counts.indices.reversed() where axis != endless {
      steps[axis] = step
      let most = layout.maximum[axis] ?? layout.sizes[axis]
      let count = max((most - 1) / layout.chunk[axis] + 1, 1)
      let product = step.multipliedReportingOverflow(by: count)
      step = product.partialValue
      overflows = overflows || product.overflow
    }
    guard !overflows else { throw .refusedHDF5("a dataset that may grow beyond all bounds") }
    if let endless { steps[endless] = step }
    self.layout = layout
    self.steps = steps
  }

  /// The index of a chunk in the list, times a unit.
  func offset(of number: Int, unit: Int = 1) throws(LoadError) -> Int {
    var sum = 0
    var overflows = false
    for (place, step) in zip(layout.place(of: number), steps) {
      let product = place.multipliedReportingOverflow(by: step)
      let total = sum.addingReportingOverflow(product.partialValue)
      sum = total.partialValue
      overflows = overflows || product.overflow || total.overflow
    }
    let scaled = sum.multipliedReportingOverflow(by: unit)
    guard !overflows, !scaled.overflow else {
      throw .damaged("a chunk lies outside the file")
    }
    return scaled.partialValue
  }
}
