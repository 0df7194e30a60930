import Forge
import Testing

/// A tensor of the arena as a report describes it.
struct PlacedTensor {
  /// The bytes of the arena it takes up.
  let bytes: Range<Int>
  /// The steps that need it, counted from 1.
  let steps: ClosedRange<Int>
  /// Whether it is a blocked image.
  let isBlocked: Bool

  /// The tensors of a plan, read from the lines of its last stage.
  static func all(in report: CompileReport) throws -> [PlacedTensor] {
    let stage = try #require(report.stages.last)
    #expect(stage.name == "plan memory")
    return try stage.lines.map { line in
      // `7×5×20 f32 blocked, halo top 1, left 1, bottom 1, right 1: byte 64 of the arena, steps 1 to 3`
      let sizes = line.prefix { $0 != " " }.split(separator: "×").compactMap { Int($0) }
      let parts = line.split(separator: ": byte ")
      try #require(parts.count == 2)
      let place = Self.numbers(parts[1])
      try #require(place.count == 3)
      var elements = sizes.reduce(1, *)
      let isBlocked = line.contains("blocked")
      if isBlocked {
        let halo = Self.numbers(parts[0].split(separator: "halo").dropFirst().first ?? "")
        let (vertical, horizontal) =
          halo.count == 4 ? (halo[0] + halo[2], halo[1] + halo[3]) : (0, 0)
        elements = (sizes[0] + horizontal) * (sizes[1] + vertical) * ((sizes[2] + 15) / 16 * 16)
      }
      return PlacedTensor(
        bytes: place[0]..<place[0] + elements * 4, steps: place[1]...place[2],
        isBlocked: isBlocked)
    }
  }

  private static func numbers(_ text: Substring) -> [Int] {
    text.split { !$0.isNumber }.compactMap { Int($0) }
  }
}
