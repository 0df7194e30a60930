import Foundation
import Testing

/// A chain of 200 layers must type-check quickly, especially with an error in it.
///
/// With eight overloads of `-->` one misspelt member took over 20 s and was reported at line 1.
@Suite(.serialized) struct TypeCheckTests {
  /// What is wrong with layer 150 of a chain.
  enum Variant: CaseIterable {
    case correct, misspeltMember, wrongLabel, wrongArgumentType

    /// Layer 150.
    var layer: String {
      switch self {
      case .correct:
        "Convolution(kernel: (3, 3), channels: 16, activation: .relu, name: \"layer150\")"
      case .misspeltMember:
        "Convolution(kernel: (3, 3), channels: 16, activation: .rleu, name: \"layer150\")"
      case .wrongLabel:
        "Convolution(kernel: (3, 3), chanels: 16, activation: .relu, name: \"layer150\")"
      case .wrongArgumentType:
        "Convolution(kernel: (3, 3), channels: \"16\", activation: .relu, name: \"layer150\")"
      }
    }
  }

  /// The line on which layer 150 stands: two imports, an empty line, two lines of the function, the
  /// start of the chain, and 149 layers come before it.
  static let wrongLine = 156

  static func source(_ variant: Variant) -> String {
    var lines = [
      "import ForgeGraph", "import ForgeLayers", "", "func network() -> Tensor {",
      "  let input = Input(width: 224, height: 224, channels: 3)", "  return input",
    ]
    for index in 1...200 {
      let layer =
        switch index % 5 {
        case 0:
          "Convolution(kernel: (3, 3), channels: 16, activation: .relu, name: \"layer\(index)\")"
        case 1: "BatchNormalization(name: \"layer\(index)\")"
        case 2: "Activation(.leakyReLU(slope: 0.1))"
        case 3: "DepthwiseConvolution(kernel: (3, 3), stride: (1, 1), name: \"layer\(index)\")"
        default: "MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same)"
        }
      lines.append("    --> " + (index == 150 ? variant.layer : layer))
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The seconds a type-check may take; `FORGE_TYPE_CHECK_SECONDS` for machines that are very slow.
  private var limit: Double {
    ProcessInfo.processInfo.environment["FORGE_TYPE_CHECK_SECONDS"].flatMap(Double.init) ?? 3
  }

  @Test(
    .enabled(if: TypeChecker.isAvailable, "no swiftc in PATH to type-check chains with"),
    arguments: Variant.allCases)
  func longChainsTypeCheckQuickly(variant: Variant) throws {
    let checker = try TypeChecker(of: "ForgeGraph")
    let source = Self.source(variant)
    #expect(
      source.split(separator: "\n", omittingEmptySubsequences: false)[Self.wrongLine - 1]
        .hasSuffix(variant.layer))
    // The best of three, as the caches may be cold.
    var best = Double.infinity
    for _ in 1...3 where best > limit {
      let result = try checker.check(source)
      best = min(best, result.seconds)
      if variant == .correct {
        #expect(result.status == 0, "\(result.output)")
        #expect(result.errorLines == [])
      } else {
        #expect(result.status != 0)
        #expect(result.errorLines == [Self.wrongLine], "\(result.output)")
      }
    }
    #expect(best < limit, "the best of three took \(best) s")
  }
}
