import Forge

/// Facts about a network, derived from the entries of its weight file.
struct WeightFacts {
  /// The number of output channels of each layer, from the sizes of its bias or beta.
  private(set) var widths: [String: Int] = [:]
  /// The sizes of entries with one axis that occur only once.
  ///
  /// Normalizations have several entries of each size, but the biases of a classifier are unique.
  let soleSizes: [Int]
  /// The width of the map that the first dense layer of VGG-16 flattens; `nil` if there is none.
  let flattenedWidth: Int?

  private static let words = ["bias", "biases", "b", "beta"]

  /// The lowest number of each kind of layer: 94 for `conv2d` if `conv2d_94` is the first.
  let firstNumbers: [String: Int]

  /// Collects the facts from a file's entries and the names of its layers.
  init(_ file: WeightFile, layers: [String]) {
    var counts: [Int: Int] = [:]
    for entry in file.entries where entry.sizes.count == 1 {
      let isRaw = entry.elementType == nil
      let count = isRaw ? entry.byteCount / 4 : entry.sizes[0]
      counts[count, default: 0] += 1
      if let layer = Self.layer(addingIn: entry.name) { widths[layer] = count }
    }
    flattenedWidth = file.entries.compactMap(Self.flattenedWidth).max()
    soleSizes = counts.filter { $0.value == 1 }.keys.sorted()
    firstNumbers = layers.reduce(into: [:]) { numbers, layer in
      let (kind, number) = Self.numbered(layer)
      numbers[kind] = min(numbers[kind] ?? number, number)
    }
  }

  /// The width of a square map with 512 channels that a matrix maps to 4,096 neurons.
  private static func flattenedWidth(_ entry: WeightFile.Entry) -> Int? {
    guard entry.sizes.count > 1, entry.sizes.first == 4096 || entry.sizes.last == 4096,
      let count = Shape.product(of: entry.sizes)
    else { return nil }
    return (1...64).first { $0 * $0 * 512 * 4096 == count }
  }

  /// A name without its number, and the number: `conv2d` and 94 for `conv2d_94`.
  static func numbered(_ layer: String) -> (kind: String, number: Int) {
    guard let line = layer.lastIndex(of: "_"), let number = Int(layer[line...].dropFirst()) else {
      return (layer, 0)
    }
    return (String(layer[..<line]), number)
  }

  /// The layer in the name of a bias or beta: `conv1` in `conv1/bias:0` and `conv1_b.bin`.
  private static func layer(addingIn name: String) -> String? {
    var stem = name[...]
    for ending in [":0", ".bin", ".npy"] where stem.hasSuffix(ending) {
      stem = stem.dropLast(ending.count)
    }
    for word in words where stem.hasSuffix(word) {
      let rest = stem.dropLast(word.count)
      guard let separator = rest.last, "/._".contains(separator) else { continue }
      return rest.dropLast().split(separator: "/").last.map(String.init)
    }
    return nil
  }
}
