import Forge
import ForgeShapes

extension InputSize {
  /// The size as it is written in Swift, with a name that cannot end the literal.
  var swiftText: String {
    switch self {
    case .exactly(let size): "\(size)"
    case .upTo(let largest): ".upTo(\(largest))"
    case .stepping(let first, let last, let step):
      ".stepping(from: \(first), through: \(last), by: \(step))"
    case .open(let name, let sizes, let step):
      ".open(\(SwiftText.literal(name)), \(sizes.lowerBound)...\(sizes.upperBound)"
        + (step == 1 ? ")" : ", step: \(step))")
    }
  }

  /// A length with a progression of sizes.
  init(length sizes: SizeProgression) {
    self =
      sizes.first == 1 && sizes.step == 1
      ? .upTo(sizes.last) : .stepping(from: sizes.first, through: sizes.last, by: sizes.step)
  }

  /// The size of an open axis.
  init(_ axis: OpenAxis) {
    self = .open(axis.name, axis.sizes.first...axis.sizes.last, step: axis.sizes.step)
  }
}
