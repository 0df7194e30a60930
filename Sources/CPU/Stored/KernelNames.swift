import CForgeKernels
import ForgeOperations

/// The kernels of a level by name, which stands for them in a compiled file.
struct KernelNames {
  /// A kernel that this machine has.
  struct Entry {
    let name: String
    let kernel: forge_kernel
    /// The number of tiles, given the arguments.
    let countTiles: @Sendable (UnsafeRawPointer) -> Int64
  }

  private let entries: [String: Entry]
  private let names: [Int: String]

  init(of level: forge_level) {
    var entries: [String: Entry] = [:]
    var names: [Int: String] = [:]
    for index in Int32(0)... {
      let line = forge_kernel_at(level, index)
      guard let text = line.name else { break }
      guard let kernel = line.function, let tiles = line.tiles else { continue }
      let name = String(cString: text)
      entries[name] = Entry(name: name, kernel: kernel) { tiles($0) }
      names[Self.address(kernel)] = name
    }
    (self.entries, self.names) = (entries, names)
  }

  /// The names in order.
  var all: [String] { entries.keys.sorted() }

  private static func address(_ kernel: forge_kernel) -> Int { unsafeBitCast(kernel, to: Int.self) }

  /// The entry of a name; `nil` if this machine does not have the kernel.
  subscript(name: String) -> Entry? { entries[name] }

  /// The entry of a kernel; `nil` if no list has it.
  subscript(kernel: forge_kernel) -> Entry? { names[Self.address(kernel)].flatMap { entries[$0] } }
}
