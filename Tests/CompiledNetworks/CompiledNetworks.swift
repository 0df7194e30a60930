import Forge
import ForgeTestSupport
import Foundation

/// Writes the networks of all layer cases as compiled files, or opens those that another process
/// has written, for Scripts/checks/compiled-files.
///
/// Arguments: `write FOLDER`, `open FOLDER`, or `cache FOLDER`, which compiles the networks that are
/// in the folder of `write` with a cache below it, and tells how many were found. Each network is written with the bits of its results,
/// which the other process compares. A pointer that was stored as a number would lead nowhere there.
@main
struct CompiledNetworks {
  static let sizes = [(5, 4, 6), (1, 1, 6), (3, 7, 1), (18, 17, 35)]
  static let precisions = CompileOptions.Precision.allCases

  /// A network of the list and the options it is compiled with.
  struct Entry {
    let name: String
    let file: String
    let model: Model
    let options: CompileOptions
  }

  static func main() throws {
    guard CommandLine.arguments.count >= 3 else { fatalError(usage) }
    let folder = CommandLine.arguments[2]
    let entries = self.entries()
    switch CommandLine.arguments[1] {
    case "write": try write(entries, to: folder)
    case "open": try open(entries, in: folder)
    case "cache": try useCache(entries, in: folder)
    default: fatalError(usage)
    }
  }

  private static let usage = "CompiledNetworks write|open FOLDER, or cache FOLDER"

  static func entries() -> [Entry] {
    var entries: [Entry] = []
    for (index, layer) in LayerCase.all.enumerated() {
      for (place, (name, network)) in layer.networks.enumerated() {
        for (number, (width, height, channels)) in sizes.enumerated() {
          let input = Input(width: width, height: height, channels: channels, name: "x")
          var model = Model(input: input, output: network(input, channels, 19))
          guard (try? model.check()) != nil else { continue }
          model.parameters = RandomParameters(seed: UInt64(index))
          let precision = precisions[(index + number) % precisions.count]
          entries.append(
            Entry(
              name: "\(layer) \(name) \(width)×\(height)×\(channels), \(precision.rawValue)",
              file: "\(index)_\(place)_\(number).forge", model: model,
              options: CompileOptions(
                maximumBatch: 2, preference: number == 1 ? .size : .speed,
                threads: .exactly(1 + number % 2), precision: precision)))
        }
      }
    }
    return entries
  }

  static func write(_ entries: [Entry], to folder: String) throws {
    var refused: [String: Int] = [:]
    for entry in entries {
      let network = try entry.model.compile(options: entry.options)
      if let reason = refusal(of: network, "\(folder)/\(entry.file)") {
        refused[reason, default: 0] += 1
        continue
      }
      let bits = try self.bits(of: network)
      try bits.withUnsafeBytes { Data($0) }
        .write(to: URL(fileURLWithPath: "\(folder)/\(entry.file).bits"))
    }
    for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
      print("refused \(count): \(reason)")
    }
    print("written: \(entries.count - refused.values.reduce(0, +)) of \(entries.count)")
  }

  /// Writes a network; why it is refused.
  static func refusal(of network: CompiledModel, _ path: String) -> String? {
    do throws(CompileError) {
      try network.write(to: path)
      return nil
    } catch {
      return error.problems.map(\.headline).joined(separator: "; ")
    }
  }

  static func open(_ entries: [Entry], in folder: String) throws {
    var (equal, different) = (0, 0)
    for (index, entry) in entries.enumerated() {
      let path = "\(folder)/\(entry.file)"
      guard let expected = try? Data(contentsOf: URL(fileURLWithPath: path + ".bits")) else {
        continue
      }
      let network = try CompiledModel(contentsOf: path, isMapped: index.isMultiple(of: 2))
      let bits = try self.bits(of: network)
      if bits.withUnsafeBytes({ Data($0) }) == expected {
        equal += 1
      } else {
        different += 1
        print("different: \(entry.name)")
      }
    }
    print("equal: \(equal), different: \(different)")
    if different > 0 || equal == 0 { exit(1) }
  }

  /// Compiles the networks with a cache; the results are those of the files.
  static func useCache(_ entries: [Entry], in folder: String) throws {
    var uses: [String: Int] = [:]
    let cache = CompileCache(directory: folder + "/cache", sizeLimit: 1 << 40)
    for entry in entries {
      let path = "\(folder)/\(entry.file).bits"
      guard let expected = try? Data(contentsOf: URL(fileURLWithPath: path)) else { continue }
      var options = entry.options
      options.cache = cache
      let network = try entry.model.compile(options: options)
      let bits = try self.bits(of: network)
      let isEqual = bits.withUnsafeBytes { Data($0) } == expected
      if !isEqual { print("different: \(entry.name)") }
      let use = network.isCached ? "found" : "compiled"
      uses[isEqual ? use : "different", default: 0] += 1
    }
    print(uses.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))
    if uses["different"] != nil { exit(1) }
  }

  /// The bits of all outputs of three predictions, each from the state that the one before left.
  static func bits(of network: CompiledModel) throws -> [UInt32] {
    let context = try Context(network)
    var bits: [UInt32] = []
    for seed in 0..<3 {
      var inputs: [String: [Float]] = [:]
      for (index, (name, shape)) in zip(network.inputNames, network.inputShapes).enumerated() {
        inputs[name] = seededValues(
          count: shape.elementCount ?? 0, seed: UInt64(10 * seed + index))
      }
      let result = try context.predict(inputs)
      for name in network.outputNames {
        bits += (result[name]?.values ?? []).map(\.bitPattern)
      }
    }
    return bits
  }
}
