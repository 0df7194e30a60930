import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation

/// Predicts with one network of open sizes on inputs of many sizes, for Scripts/checks/open-sizes.
///
/// Arguments: `MODEL FOLDER [NAME=SIZES…]`. Each folder in FOLDER has an array `INPUT.npy` for every
/// input, and receives `OUTPUT.out.npy` for every output. The cases run in three rounds. The last
/// lines have the memory after each round in KiB and, for each case, the milliseconds of the first
/// prediction of its sizes, of later ones, and of those of the file imported with these sizes.
@main
struct OpenSizes {
  static let rounds = 3

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > 1 else { fatalError("OpenSizes MODEL FOLDER NAME=SIZES…") }
    let path = arguments[0]
    let folder = URL(fileURLWithPath: arguments[1])
    var sizes: [String: [InputSize]] = [:]
    for text in arguments.dropFirst(2) {
      let argument = NamedArgument(text)
      guard let name = argument.name else { fatalError("NAME=SIZES, not \(text)") }
      sizes[name] = InputSize.list(argument.value)
    }
    let options = CompileOptions(planCacheSize: 16, threads: .exactly(1))
    let network = try Network(path, sizes, options)
    let cases = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .map { folder.appendingPathComponent($0) }
    var first: [Double] = []
    var memory: [Int] = []
    for round in 0..<rounds {
      for example in cases {
        let inputs = try network.arrays(in: example)
        let start = ContinuousClock.now
        let outputs = try network.predict(inputs)
        if round == 0 { first.append(milliseconds(since: start)) }
        for (name, array) in outputs {
          let file = name.replacingOccurrences(of: "/", with: "_") + ".out.npy"
          try array.write(to: example.appendingPathComponent(file).path)
        }
      }
      memory.append(residentKilobytes())
    }
    print("memory", memory.map(String.init).joined(separator: " "))
    for (index, example) in cases.enumerated() {
      let inputs = try network.arrays(in: example)
      let fixed = try Network(path, inputs.mapValues { $0.sizes.map { .exactly($0) } }, options)
      var best = (open: Double.infinity, fixed: Double.infinity)
      for _ in 0..<7 {
        best.open = min(best.open, try time(network, inputs))
        best.fixed = min(best.fixed, try time(fixed, inputs))
      }
      print(
        "time", example.lastPathComponent,
        String(format: "%.2f %.3f %.3f", first[index], best.open, best.fixed))
    }
  }

  /// A compiled file.
  struct Network {
    let imported: ImportedModel
    let run: NetworkRun

    init(_ path: String, _ sizes: [String: [InputSize]], _ options: CompileOptions) throws {
      imported = try ImportedModel(onnx: path, options: ImportOptions(sizes: sizes))
      let model = imported.model
      run = try NetworkRun(imported) { try model.compile(options: options) }
    }

    func arrays(in folder: URL) throws -> [String: StoredTensor] {
      var arrays: [String: StoredTensor] = [:]
      for port in imported.inputs {
        let file = folder.appendingPathComponent("\(port.name).npy")
        arrays[port.name] = try StoredTensor(numPy: file.path)
      }
      return arrays
    }

    func predict(
      _ inputs: [String: StoredTensor]
    ) throws -> [(name: String, array: StoredTensor)] {
      let examples = try run.examples(inputs.mapValues { .array($0) })
      return try run.arrays(of: try run.results(examples))
    }
  }

  static func time(_ network: Network, _ inputs: [String: StoredTensor]) throws -> Double {
    let examples = try network.run.examples(inputs.mapValues { .array($0) })
    let start = ContinuousClock.now
    _ = try network.run.results(examples)
    return milliseconds(since: start)
  }

  static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .milliseconds(1)
  }

  static func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}
