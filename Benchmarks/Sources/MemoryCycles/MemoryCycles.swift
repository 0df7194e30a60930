import Forge
import ForgeModels

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Measures what a process keeps of networks that are gone, and what processes share.
///
/// Arguments:
/// - `cycles [N]`: compiles Inception-v3 and predicts, N times, and prints the resident memory after
///   each network is dropped.
/// - `open FILE [SECONDS]`: maps a compiled file, predicts once, prints the time to the answer and the
///   proportional share of memory (PSS), and waits, so that several processes can be measured at once.
@main
struct MemoryCycles {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "cycles": try cycles(arguments.dropFirst().first.flatMap { Int($0) } ?? 20)
    case "open":
      let rest = Array(arguments.dropFirst())
      guard let path = rest.first else { usage() }
      try open(path, seconds: rest.dropFirst().first.flatMap { UInt32($0) } ?? 0)
    default: usage()
    }
  }

  static func usage() -> Never {
    print("MemoryCycles cycles [N] | open FILE [SECONDS]")
    exit(64)
  }

  static func cycles(_ count: Int) throws {
    let model = Model.inceptionV3()
    print("before: \(megabytes("VmRSS", of: "status"))")
    for cycle in 1...max(count, 1) {
      try predict(with: try model.compile(parameters: RandomParameters(seed: 1)))
      print("after \(cycle): \(megabytes("VmRSS", of: "status"))")
    }
  }

  static func predict(with network: CompiledModel) throws {
    var inputs: [String: [Float]] = [:]
    for (name, shape) in zip(network.inputNames, network.inputShapes) {
      inputs[name] = Array(repeating: 0.5, count: shape.elementCount ?? 0)
    }
    _ = try network.predict(inputs)
  }

  static func open(_ path: String, seconds: UInt32) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let network = try CompiledModel(contentsOf: path, isMapped: true)
    let opened = clock.now
    try predict(with: network)
    let end = clock.now
    print(
      "opened in \((opened - start) / .milliseconds(1)) ms, "
        + "first prediction \((end - opened) / .milliseconds(1)) ms")
    sleep(seconds)
    print(
      "resident \(megabytes("Rss", of: "smaps_rollup")), "
        + "share \(megabytes("Pss", of: "smaps_rollup"))")
    sleep(seconds)
  }

  /// A line of a file of /proc/self, in megabytes.
  static func megabytes(_ label: String, of file: String) -> String {
    guard let input = fopen("/proc/self/\(file)", "r") else { return "?" }
    defer { fclose(input) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), input) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(label + ":") else { continue }
      let kilobytes = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return "\(Double(kilobytes / 100) / 10) MB"
    }
    return "?"
  }
}
