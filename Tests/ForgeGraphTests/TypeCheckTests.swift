import Foundation
import Testing

/// A chain of 200 layers must type-check quickly, especially with an error in it.
///
/// With eight overloads of `-->` one misspelled member took over 20 s and was reported at line 1.
@Suite(.serialized) struct TypeCheckTests {
  /// How the layers of a chain are written.
  enum Form: CaseIterable {
    /// Pairs of numbers.
    case pairs
    /// One number for a pair, and mixtures of both.
    case numbers
    /// Arithmetic in the arguments, in a convolution with conversions in one of them only.
    ///
    /// With conversions in one argument and arithmetic in another, a misspelled member costs 8 s.
    case argumentArithmetic
    /// Arithmetic between tensors, a statement a layer.
    case tensorArithmetic

    /// The beginning of layer 150, a convolution.
    var convolution: String {
      switch self {
      case .pairs: "Convolution(kernel: (3, 3), channels: 16"
      case .numbers: "Convolution(kernel: 3, channels: 16, stride: 1, padding: 1"
      case .argumentArithmetic:
        "Convolution(kernel: 3, channels: Int(Double(width) * alpha), stride: width"
      case .tensorArithmetic: "x * 2 - 1 --> Convolution(kernel: 3, channels: 16"
      }
    }

    /// The other layers.
    func layer(_ index: Int) -> String {
      switch (self, index % 5) {
      case (_, 0): "\(convolution), activation: .relu, name: \"layer\(index)\")"
      case (.tensorArithmetic, 1): "max(x, input) * x / 3"
      case (.tensorArithmetic, 2): "1 - x + input"
      case (.tensorArithmetic, 3): "-x * width - (x + input) / 2"
      case (.tensorArithmetic, _): "2 * x --> MaxPooling(2, stride: 1, padding: .same)"
      case (.pairs, 1): "BatchNormalization(name: \"layer\(index)\")"
      case (_, 1): "Scale(1 / 127.5, bias: -1)"
      case (.pairs, 2): "Activation(.leakyReLU(slope: 0.1))"
      case (.numbers, 2):
        "Convolution(kernel: (3, 1), channels: 8, stride: 1, dilation: 2, name: \"layer\(index)\")"
      case (_, 2): "Convolution(kernel: (2 * width + 1, 1), channels: 8 * width, stride: 1)"
      case (.pairs, 3):
        "DepthwiseConvolution(kernel: (3, 3), stride: (1, 1), name: \"layer\(index)\")"
      case (_, 3): "DepthwiseConvolution(kernel: width, stride: (1, 1), name: \"layer\(index)\")"
      case (.pairs, _): "MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same)"
      case (.numbers, _): "MaxPooling(3, stride: 1, padding: .same)"
      case (.argumentArithmetic, _): "MaxPooling(width + 1, stride: width - 1, padding: .same)"
      }
    }
  }

  /// What is wrong with layer 150 of a chain.
  enum Variant: CaseIterable {
    case correct, misspeltMember, wrongLabel, wrongArgumentType

    /// Layer 150.
    func layer(_ form: Form) -> String {
      let layer = form.layer(150)
      return switch self {
      case .correct: layer
      case .misspeltMember: layer.replacing(".relu", with: ".rleu")
      case .wrongLabel: layer.replacing("channels", with: "chanels")
      case .wrongArgumentType:
        layer.replacing(/channels: (16|Int\([^)]*\) \* alpha\))/, with: "channels: \"16\"")
      }
    }
  }

  /// The line on which layer 150 stands: two imports, an empty line, two lines of the function, the
  /// start of the chain, and 149 layers come before it.
  static let wrongLine = 156

  static func source(_ form: Form, _ variant: Variant) -> String {
    let isChain = form != .tensorArithmetic
    let (width, alpha) = isChain ? ("Int", "Double") : ("Float", "Float")
    var lines = [
      "import ForgeGraph", "import ForgeLayers", "",
      "func network(width: \(width), alpha: \(alpha)) -> Tensor {",
      "  let input = Input(width: 224, height: 224, channels: 3)",
      isChain ? "  return input" : "  var x = input",
    ]
    for index in 1...200 {
      let layer = index == 150 ? variant.layer(form) : form.layer(index)
      lines.append((isChain ? "    --> " : "  x = ") + layer)
    }
    if !isChain { lines.append("  return x") }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The seconds a type-check may take; `FORGE_TYPE_CHECK_SECONDS` for machines that are very slow.
  private var limit: Double {
    ProcessInfo.processInfo.environment["FORGE_TYPE_CHECK_SECONDS"].flatMap(Double.init) ?? 3
  }

  @Test(
    .enabled(if: TypeChecker.isAvailable, "no swiftc in PATH to type-check chains with"),
    arguments: Form.allCases, Variant.allCases)
  func longChainsTypeCheckQuickly(form: Form, variant: Variant) throws {
    let checker = try TypeChecker(of: "ForgeGraph")
    let source = Self.source(form, variant)
    #expect(
      source.split(separator: "\n", omittingEmptySubsequences: false)[Self.wrongLine - 1]
        .hasSuffix(variant.layer(form)))
    #expect(variant == .correct || variant.layer(form) != form.layer(150))
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
