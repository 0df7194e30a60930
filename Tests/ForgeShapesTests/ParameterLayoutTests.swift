import ForgeShapes
import Testing

@Suite struct ParameterLayoutTests {
  private let conv = ParameterSpec(
    layer: "conv", .weights, [.outputs: 20, .height: 5, .width: 7, .inputs: 3])
  private let depthwise = ParameterSpec(
    .weights, [.channels: 6, .multiplier: 2, .height: 5, .width: 7])
  private let slopes = ParameterSpec(.slopes, [.height: 5, .width: 7, .channels: 3])
  private let biases = ParameterSpec(.biases, [.outputs: 20])

  private func text(_ axes: [ParameterAxis]?) -> String? {
    axes.map { String($0.map(\.rawValue)) }
  }

  @Test func orders() {
    let specs = [conv, depthwise, slopes, biases]
    #expect(
      specs.map { text(ParameterLayout.forge.order(for: $0)) } == ["OHWI", "CMHW", "HWC", "O"])
    #expect(
      specs.map { text(ParameterLayout.keras.order(for: $0)) } == ["HWIO", "HWCM", "HWC", "O"])
    #expect(
      specs.map { text(ParameterLayout.pytorch.order(for: $0)) } == ["OIHW", "CMHW", "CHW", "O"])
  }

  @Test func customOrders() {
    let layout = ParameterLayout.axes([.width, .inputs, .outputs, .height])
    #expect(text(layout.order(for: conv)) == "WIOH")
    // W: 3·20·5, I: 20·5, O: 5, H: 1; given for O, H, W, I.
    #expect(layout.strides(for: conv) == [5, 1, 300, 100])
  }

  @Test(
    arguments: [
      [], [.outputs], [.outputs, .height, .width], [.outputs, .height, .width, .channels],
      [.outputs, .height, .width, .width], [.outputs, .height, .width, .inputs, .inputs],
      [.outputs, .outputs, .height, .width], [.inputs, .inputs, .inputs, .inputs],
    ] as [[ParameterAxis]])
  func mismatchedOrders(axes: [ParameterAxis]) {
    #expect(ParameterLayout.axes(axes).order(for: conv) == nil)
    #expect(ParameterLayout.axes(axes).strides(for: conv) == nil)
  }

  @Test func strides() {
    // In memory H W I O: O is next, I after 20, W after 3·20, H after 7·3·20.
    #expect(ParameterLayout.keras.strides(for: conv) == [1, 420, 60, 20])
    // In memory O I H W: W is next, H after 7, I after 35, O after 105.
    #expect(ParameterLayout.pytorch.strides(for: conv) == [105, 7, 1, 35])
    #expect(ParameterLayout.forge.strides(for: conv) == [105, 21, 3, 1])
    // In memory H W C M.
    #expect(ParameterLayout.keras.strides(for: depthwise) == [2, 1, 84, 12])
    #expect(ParameterLayout.pytorch.strides(for: depthwise) == [70, 35, 7, 1])
    // In memory C H W.
    #expect(ParameterLayout.pytorch.strides(for: slopes) == [7, 1, 35])
    for layout in [ParameterLayout.forge, .keras, .pytorch] {
      #expect(layout.strides(for: biases) == [1])
    }
    #expect(ParameterLayout.forge.strides(for: ParameterSpec(.weights, [:])) == [])
  }

  /// Values in another axis order, read by the strides, are in Forge's order.
  @Test(arguments: [
    ParameterLayout.forge, .keras, .pytorch, .axes([.inputs, .width, .outputs, .height]),
  ])
  func stridesVisitEveryValueOnce(layout: ParameterLayout) throws {
    let strides = try #require(layout.strides(for: conv))
    var seen: Set<Int> = []
    for o in 0..<20 {
      for h in 0..<5 {
        for w in 0..<7 {
          for i in 0..<3 {
            seen.insert(o * strides[0] + h * strides[1] + w * strides[2] + i * strides[3])
          }
        }
      }
    }
    #expect(seen == Set(0..<2100))
  }

  @Test func specifications() {
    #expect(conv.count == 2100)
    #expect(conv.shapeText == "20×5×7×3 [O][H][W][I]")
    #expect(conv.layer == "conv")
    #expect(conv.named("other").layer == "other")
    #expect(conv.named("other") != conv)
    #expect(conv.named("other").named("conv") == conv)
    #expect(biases.layer == "")
    #expect(biases.shapeText == "20 [O]")
    for sizes in [.max, -1, .min] as [Int] {
      #expect(ParameterSpec(.weights, [.outputs: sizes, .inputs: sizes]).count == 0)
    }
  }

  @Test func types() {
    let types: [ParameterType] = [.weights, .biases, .gamma, .beta, .mean, .variance, .slopes]
    #expect(
      types.map(\.description) == [
        "weights", "biases", "gamma", "beta", "mean", "variance", "slopes",
      ])
    #expect(ParameterType("gamma") == .gamma)
    #expect(ParameterType("Gamma") != .gamma)
  }

  @Test func sourceDefaults() throws {
    struct Ones: ParameterData {
      let count = 3
      let origin = "ones"
      func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {}
    }
    struct Source: ParameterSource {
      let tag = 7
      func parameter(for spec: ParameterSpec) -> (any ParameterData)? { Ones() }
    }
    #expect(Ones().layout == .forge)
    #expect(Ones().sizes == nil)
    #expect(Ones().elementType == .float32)
    #expect(Source().goesByName)
    #expect(Source().availableNames == [])
    #expect((try Source().prepared(for: [conv]) as? Source)?.tag == 7)
  }
}
