import CForge

/// The inputs, outputs or states of a model as C reads them, with names of their own.
struct TensorList: ~Copyable {
  private let tensors: UnsafeMutableBufferPointer<forge_tensor>

  /// Describes tensors; a size of `nil` is open.
  init(names: [String], sizes: [[Int?]], types: [Int] = []) {
    let count = min(names.count, sizes.count)
    tensors = .allocate(capacity: count)
    for index in 0..<count {
      var tensor = forge_tensor()
      tensor.name = UnsafePointer(Self.copy(names[index]))
      tensor.type = forge_type(types.indices.contains(index) ? types[index] : FORGE_FLOAT)
      let given = sizes[index].prefix(Int(FORGE_MAXIMUM_RANK))
      tensor.rank = UInt32(given.count)
      withUnsafeMutableBytes(of: &tensor.sizes) { bytes in
        let target = bytes.bindMemory(to: Int64.self)
        for (axis, size) in given.enumerated() { target[axis] = size.map { Int64($0) } ?? -1 }
      }
      tensor.count = given.reduce(1) { $0 * ($1 ?? 0) }
      tensors.initializeElement(at: index, to: tensor)
    }
  }

  deinit {
    for tensor in tensors { tensor.name?.deallocate() }
    tensors.deallocate()
  }

  var count: Int { tensors.count }

  /// Writes the description of a tensor to memory of the caller.
  func describe(
    _ index: Int, _ what: String, to target: UnsafeMutablePointer<forge_tensor>?
  ) throws(Failure) {
    guard let target else { throw .null("tensor") }
    guard tensors.indices.contains(index) else {
      throw .index(index, of: what, count: tensors.count)
    }
    target.pointee = tensors[index]
  }

  /// A text that ends with 0.
  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { (memory + index).initialize(to: byte) }
    return memory
  }
}
