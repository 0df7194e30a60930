import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// The summary in which every module is one row.
@Suite struct NestedSummaryTests {
  private struct Bottleneck: Module {
    func callAsFunction(_ x: Tensor) -> Tensor {
      [
        x,
        x --> Convolution(kernel: (1, 1), channels: 2, name: "a")
          --> Scope("inner") { $0 --> Convolution(kernel: (1, 1), channels: 8, name: "b") },
      ] --> Add()
    }
  }

  private struct Split: MultiModule {
    func callAsFunction(_ xs: [Tensor]) -> [Tensor] {
      [xs[0] --> Crop(top: 1), xs[0] --> Softmax()]
    }
  }

  private let input = Input(width: 6, height: 4, channels: 8)

  @Test func modulesAreRows() {
    let output =
      input --> Bottleneck().named("stage1") --> Activation(.relu) --> Bottleneck()
      --> Bottleneck().named("stage1") --> (Activation(.relu) --> Flatten()).named("end")
    let model = Model(input: input, output: output)
    // 8·2 + 2 and 2·8 + 8.
    #expect(
      model.summary(.nested) == """
        Layer                          Type       Output Shape     Parameters
        ---------------------------------------------------------------------
        stage1                         Bottleneck (6, 4, 8)        42
        __Activation_4__               Activation (6, 4, 8)        0
        __Bottleneck_5__               Bottleneck (6, 4, 8)        42
        stage1                         Bottleneck (6, 4, 8)        0
        end                            Block      (1, 1, 192)      0
        ---------------------------------------------------------------------
        Number of layers: 12
        Total parameters: 84
        """)
    #expect(
      model.summary() == """
        Layer                          Type       Output Shape     Parameters
        ---------------------------------------------------------------------
        stage1.a                       Conv       (6, 4, 2)        18
        stage1.inner.b                 Conv       (6, 4, 8)        24
        stage1.__Add_3__               Add        (6, 4, 8)        0
        __Activation_4__               Activation (6, 4, 8)        0
        a                              Conv       (6, 4, 2)        18
        inner.b                        Conv       (6, 4, 8)        24
        __Add_7__                      Add        (6, 4, 8)        0
        stage1.a                       Conv       (6, 4, 2)        0
        stage1.inner.b                 Conv       (6, 4, 8)        0
        stage1.__Add_10__              Add        (6, 4, 8)        0
        end.__Activation_11__          Activation (6, 4, 8)        0
        end.__Flatten_12__             Flatten    (1, 1, 192)      0
        ---------------------------------------------------------------------
        Number of layers: 12
        Total parameters: 84
        """)
  }

  @Test func modelWithoutModules() {
    let model = Model(input: input, output: input --> Softmax() --> Flatten())
    #expect(model.summary(.nested) == model.summary())
  }

  @Test func severalOutputs() {
    let parts = Split().named("parts")([input])
    let row = { (outputs: [Tensor]) in
      Model(inputs: [input], outputs: outputs).summary(.nested).split(separator: "\n")[2]
    }
    #expect(row(parts) == "parts                          Split      (6, 3, 8), (6, 4, 8) 0")
    #expect(row([parts[1]]) == "parts                          Split      (6, 4, 8)        0")
  }

  /// A module none of whose outputs is known has the shape of its last layer.
  @Test func moduleWithMistakes() {
    let wrong =
      input --> Scope("s") { $0 --> Softmax() --> Convolution(kernel: (9, 0), channels: 1) }
    let lines = Model(input: input, output: wrong).summary(.nested).split(separator: "\n")
    #expect(lines[2] == "s                              Function   ?                0")
    #expect(lines[5] == "Number of mistakes: 1; check() describes them")
  }
}
