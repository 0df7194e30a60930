/// The description of the online processors in /proc/cpuinfo.
package struct ProcessorInfo: Hashable, Sendable {
  /// The package and core of each logical processor, if given.
  package var cores: [Int: Core] = [:]
  /// The model name, if given.
  package var name: String?
  /// The names of the instruction sets and other features, as the kernel writes them.
  package var features: Set<String> = []

  /// A physical core.
  package struct Core: Hashable, Sendable {
    let package: Int
    let number: Int
  }

  /// Parses /proc/cpuinfo of x86 or arm64.
  package init(_ text: String) {
    for block in text.split(separator: "\n\n") {
      var fields: [Substring: Substring] = [:]
      for line in block.split(separator: "\n") {
        let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { continue }
        fields[sides[0].trimmed] = sides[1].trimmed
      }
      if let model = fields["model name"] ?? fields["Hardware"], name == nil, !model.isEmpty {
        name = String(model)
      }
      if features.isEmpty, let list = fields["flags"] ?? fields["Features"] {
        features = Set(list.split(separator: " ").map(String.init))
      }
      if name == nil, let implementer = fields["CPU implementer"].flatMap({ hexadecimal($0) }),
        let part = fields["CPU part"].flatMap({ hexadecimal($0) })
      {
        name = Self.armName(implementer: implementer, part: part)
      }
      guard let processor = fields["processor"].flatMap({ Int($0) }), processor >= 0 else {
        continue
      }
      // Without both fields, every logical processor counts as a core.
      cores[processor] = Core(
        package: fields["physical id"].flatMap { Int($0) } ?? 0,
        number: fields["core id"].flatMap { Int($0) } ?? processor)
    }
  }

  /// Returns the name of a server core, from Arm's list of MIDR values.
  private static func armName(implementer: Int, part: Int) -> String {
    let known = [
      0xd08: "Cortex-A72", 0xd0b: "Cortex-A76", 0xd0c: "Neoverse N1", 0xd40: "Neoverse V1",
      0xd49: "Neoverse N2", 0xd4f: "Neoverse V2", 0xd84: "Neoverse V3", 0xd8e: "Neoverse N3",
    ]
    if implementer == 0x41, let name = known[part] { return "Arm \(name)" }
    return "arm64 implementer 0x\(String(implementer, radix: 16)) part 0x\(String(part, radix: 16))"
  }
}

/// Parses a number such as `0xd0c`.
private func hexadecimal(_ text: Substring) -> Int? {
  text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
}
