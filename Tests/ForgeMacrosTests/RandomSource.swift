#if Macros
  import Forge
  import ForgeShapes

  /// A random network, written out as Swift source and made by the same choices directly.
  ///
  /// The source takes the forms in which people write networks: chains, bindings, functions, blocks,
  /// loops, conditions, arithmetic on numbers and on tensors.
  struct RandomSource {
    private(set) var source = ""
    private(set) var model = Model(outputs: [])

    private var generator: SplitMix64
    private var number = 0
    /// Whether arguments may be wrong.
    private let isWild: Bool
    private var tensors: [(name: String, tensor: Tensor)] = []

    /// Draws a network.
    ///
    /// - Parameters:
    ///   - seed: the seed of all choices.
    ///   - isWild: whether arguments may be wrong, so that most networks have mistakes.
    init(seed: UInt64, isWild: Bool) {
      generator = SplitMix64(seed: seed)
      self.isWild = isWild
      draw()
    }

    // MARK: Choices

    private mutating func draw(_ range: ClosedRange<Int>) -> Int {
      Int.random(in: range, using: &generator)
    }

    private mutating func chance(_ percent: Int) -> Bool { draw(1...100) <= percent }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
      list[draw(0...list.count - 1)]
    }

    private mutating func newName(_ kind: String) -> String {
      number += 1
      return "\(kind)\(number)"
    }

    /// A number as one of several expressions with its value.
    private mutating func text(of value: Int) -> String {
      switch draw(0...5) {
      case 0 where value % 2 == 0: "\(value / 2) * 2"
      case 1: "\(value + 3) - 3"
      case 2 where value > 2: "half(\(value * 2))"
      case 3: "base + \(value - 4)"
      default: "\(value)"
      }
    }

    // MARK: Layers

    /// A layer as source and as a value.
    private typealias Drawn = (text: String, step: any Step)

    private mutating func padding() -> (String, Padding) {
      switch draw(0...4) {
      case 0: return (".valid", .valid)
      case 1:
        let edge = draw(0...2)
        return (".explicit(top: \(edge), left: 1)", .explicit(top: edge, left: 1))
      case 2: return (".all(1)", .all(1))
      default: return (".same", .same)
      }
    }

    private mutating func kernel() -> Int { isWild ? pick([0, 1, 3, 5, 9]) : pick([1, 2, 3]) }

    private mutating func imageLayer() -> Drawn {
      let (paddingText, padding) = padding()
      switch draw(0...16) {
      case 0...3:
        let (width, height, channels) = (kernel(), kernel(), draw(1...12))
        let stride = draw(1...2)
        let name = isWild && chance(10) ? "same" : newName("conv")
        return (
          "Convolution(kernel: (\(width), \(text(of: height))), channels: \(text(of: channels)), "
            + "stride: \(stride), padding: \(paddingText), activation: .relu, name: \"\(name)\")",
          Convolution(
            kernel: (width, height), channels: channels, stride: (stride, stride),
            padding: padding, activation: .relu, name: name)
        )
      case 4:
        let (side, multiplier, name) = (kernel(), draw(1...2), newName("depth"))
        return (
          "DepthwiseConvolution(kernel: \(side), padding: \(paddingText), "
            + "multiplier: \(multiplier), name: \"\(name)\")",
          DepthwiseConvolution(
            kernel: side, padding: padding, multiplier: multiplier, name: name)
        )
      case 5:
        let (channels, name) = (draw(isWild ? 0...8 : 1...8), newName("point"))
        return (
          "PointwiseConvolution(channels: \(channels), useBias: false, name: \"\(name)\")",
          PointwiseConvolution(channels: channels, useBias: false, name: name)
        )
      case 6:
        let side = draw(1...3)
        return ("MaxPooling(\(side))", MaxPooling(side))
      case 7:
        let side = kernel()
        return (
          "AveragePooling(kernel: \(side), stride: 1, padding: \(paddingText))",
          AveragePooling(kernel: side, stride: 1, padding: padding)
        )
      case 8:
        let name = newName("norm")
        return ("BatchNormalization(name: \"\(name)\")", BatchNormalization(name: name))
      case 9: return ("Activation(.leakyReLU(slope: 0.1))", Activation(.leakyReLU(slope: 0.1)))
      case 10: return ("Swish()", Swish())
      case 11:
        let size = draw(1...2)
        return ("UpSampling(\(size))", UpSampling(size))
      case 12:
        let (width, height) = (draw(3...14), draw(3...14))
        return (
          "Resize(width: \(text(of: width)), height: \(height), mode: .nearest)",
          Resize(width: width, height: height, mode: .nearest)
        )
      case 13:
        let cut = draw(isWild ? 0...6 : 0...1)
        return ("Crop(top: \(cut))", Crop(top: cut))
      case 14:
        let groups = draw(isWild ? 1...3 : 1...1)
        return ("ChannelShuffle(groups: \(groups))", ChannelShuffle(groups: groups))
      case 15:
        let edge = draw(0...2)
        return ("ZeroPadding(bottom: \(edge))", ZeroPadding(bottom: edge))
      default:
        let (channels, name) = (draw(1...6), newName("sep"))
        return (
          "SeparableConvolution(kernel: 3, channels: \(channels), name: \"\(name)\")",
          SeparableConvolution(kernel: 3, channels: channels, name: name)
        )
      }
    }

    // MARK: Statements

    private mutating func bind(_ text: String, _ tensor: Tensor) {
      let name = newName("t")
      source += "  let \(name) = \(text)\n"
      tensors.append((name, tensor))
    }

    private mutating func statement() {
      let (name, tensor) = tensors[tensors.count - 1]
      switch draw(0...10) {
      case 0...3:
        // A chain.
        var (text, result) = (name, tensor)
        for _ in 0..<draw(1...4) {
          let layer = imageLayer()
          text += "\n    --> \(layer.text)"
          result = result.chained(to: layer.step)
        }
        bind(text, result)
      case 4:
        // A residual sum of what need not fit.
        let layer = imageLayer()
        let branch = tensor.chained(to: layer.step)
        bind("[\(name), \(name) --> \(layer.text)] --> Add()", [tensor, branch] --> Add())
      case 5:
        let (a, b) = (imageLayer(), imageLayer())
        let joined = Concatenate([tensor.chained(to: a.step), tensor.chained(to: b.step)])
        bind("Concatenate([\(name) --> \(a.text), \(name) --> \(b.text)])", joined)
      case 6:
        let factor = draw(1...9)
        bind("(\(name) + \(name)) * 0.\(factor) - 1", (tensor + tensor) * (Float(factor) / 10) - 1)
      case 7:
        // A loop with names made of its variable.
        let (prefix, stem) = (newName("loop"), newName("v"))
        let list = (0..<draw(1...3)).map { _ in draw(1...9) }
        source += "  var \(stem) = \(name)\n"
        source += "  for (index, channels) in \(list).enumerated() {\n"
        source += "    \(stem) = \(stem) --> Convolution(kernel: 3, channels: channels, "
        source += "name: \"\(prefix)_\\(index)\")\n  }\n"
        var result = tensor
        for (index, channels) in list.enumerated() {
          result =
            result --> Convolution(kernel: 3, channels: channels, name: "\(prefix)_\(index)")
        }
        tensors.append((stem, result))
      case 8:
        let layer = imageLayer()
        let other = imageLayer()
        let width = draw(1...12)
        bind(
          "(\(name).width ?? 0) > \(width) ? \(name) --> \(layer.text) : \(name) --> \(other.text)",
          tensor.chained(to: (tensor.width ?? 0) > width ? layer.step : other.step))
      case 9:
        let (a, b) = (imageLayer(), imageLayer())
        let block = newName("block")
        source += "  let \(block) = \(a.text) --> \(b.text)\n"
        bind("\(name) --> \(block)", tensor.chained(to: Block([a.step, b.step])))
      default:
        let channels = draw(1...8)
        let label = newName("fn")
        bind(
          "twice(\(name), \(channels), \"\(label)\")", Self.twice(tensor, channels, label))
      }
    }

    /// The function `twice` of the source.
    private static func twice(_ x: Tensor, _ channels: Int, _ name: String) -> Tensor {
      let y = x --> Convolution(kernel: 3, channels: channels, name: name + "a") --> ReLU()
      return y --> Convolution(kernel: (3, 1), channels: channels * 2, name: name + "b")
    }

    private mutating func draw() {
      let (width, height, channels) = (draw(4...24), draw(4...24), draw(1...6))
      source = """
        {
          let base = 4
          func half(_ x: Int) -> Int { x / 2 }
          func twice(_ x: Tensor, _ channels: Int, _ name: String) -> Tensor {
            let y = x --> Convolution(kernel: 3, channels: channels, name: name + "a") --> ReLU()
            return y --> Convolution(kernel: (3, 1), channels: channels * 2, name: name + "b")
          }

        """
      bind(
        "Input(width: \(width), height: \(height), channels: \(channels))",
        Input(width: width, height: height, channels: channels))
      for _ in 0..<draw(1...6) { statement() }
      let (name, tensor) = tensors[tensors.count - 1]
      let neurons = draw(1...12)
      source += "  return \(name) --> Dense(neurons: \(neurons), name: \"last\") --> Softmax()\n}\n"
      model = Model(output: tensor --> Dense(neurons: neurons, name: "last") --> Softmax())
    }
  }
#endif
