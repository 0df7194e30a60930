import ArgumentParser

/// A number of bytes with a unit: `500M`, `1G`, `65536`.
struct ByteCountArgument: ExpressibleByArgument {
  let count: Int

  private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

  init?(argument: String) {
    var digits = argument[...]
    var unit = 1
    if let last = argument.last, let known = Self.units[Character(last.uppercased())] {
      digits = argument.dropLast()
      unit = known
    }
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(digits)
    else { return nil }
    let (count, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.count = count
  }
}
