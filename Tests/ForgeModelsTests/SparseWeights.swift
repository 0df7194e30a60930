import Forge
import ForgeGraph
import Foundation

/// A safetensors file with the parameters of a network, all zero and mostly a hole on the disk.
struct SparseWeights: ~Copyable {
  let path: String

  /// One entry of the file.
  struct Entry: Encodable {
    var type = "F32"
    var shape: [Int]
    var offsets: [Int] = [0, 0]

    enum CodingKeys: String, CodingKey {
      case type = "dtype"
      case shape
      case offsets = "data_offsets"
    }
  }

  /// The entries for a model's parameters under PyTorch's words, in Forge's axis order.
  static func entries(
    of model: Model, layer: (String) -> String = { $0 }
  ) -> [String: Entry] {
    let words: [ParameterType: String] = [
      .weights: "weight", .biases: "bias", .mean: "running_mean", .variance: "running_var",
    ]
    var entries: [String: Entry] = [:]
    for spec in Inference(model).nodes.flatMap(\.parameters) {
      entries["\(layer(spec.layer)).\(words[spec.type] ?? spec.type.name)"] = Entry(
        shape: spec.sizes)
    }
    return entries
  }

  /// Writes a file of these entries.
  init(_ entries: [String: Entry]) throws {
    path = NSTemporaryDirectory() + "forge-\(UUID().uuidString).safetensors"
    var placed: [String: Entry] = [:]
    var end = 0
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let start = end
      end += entry.shape.reduce(4, *)
      placed[name] = Entry(shape: entry.shape, offsets: [start, end])
    }
    let header = try JSONEncoder().encode(placed)
    let length = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Data($0) }
    try (length + header).write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: UInt64(8 + header.count + end))
    try file.close()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
