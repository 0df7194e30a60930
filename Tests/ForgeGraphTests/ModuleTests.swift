import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import Synchronization
import Testing

/// Own layers made of layers, and the scopes of their names.
@Suite struct ModuleTests {
  private let input = Input(width: 12, height: 8, channels: 4)

  /// The module of the documentation.
  private struct SqueezeExcite: Module {
    var ratio = 4
    func callAsFunction(_ x: Tensor) -> Tensor {
      let channels = x.channels ?? 1
      return [
        x,
        x --> GlobalAveragePooling()
          --> Dense(neurons: channels / ratio, activation: .relu, name: "reduce")
          --> Dense(neurons: channels, activation: .sigmoid, name: "expand"),
      ] --> Multiply()
    }
  }

  /// A module of one layer at one place in source.
  private struct Convolved: Module {
    var name: String? = "conv"
    var channels = 4
    func callAsFunction(_ x: Tensor) -> Tensor {
      x
        --> Convolution(
          kernel: (1, 1), channels: channels, name: name, fileID: "App/Net.swift", line: 9,
          column: 5)
    }
  }

  private let squeezed = ["reduce", "expand"]

  @Test func scopePrefixesNames() {
    let model = Model(input: input, output: input --> SqueezeExcite().named("se1"))
    #expect(mistakes(model) == [])
    #expect(
      wiring(model) == [
        "input", "se1.__GlbAvgPool_1__ = GlobalAveragePooling(input)",
        "se1.reduce = Dense(se1.__GlbAvgPool_1__)", "se1.expand = Dense(se1.reduce)",
        "se1.__Multiply_4__ = Multiply(input, se1.expand)",
      ])
    #expect(
      model.parameterSpecs.map { "\($0.layer) \($0.type)" } == [
        "se1.reduce weights", "se1.reduce biases", "se1.expand weights", "se1.expand biases",
      ])
    #expect(model.layers.map(\.isNamed) == [false, true, true, false])
  }

  @Test func withoutScopeNamesStay() {
    let model = Model(input: input, output: input --> SqueezeExcite())
    #expect(
      names(model) == ["input", "__GlbAvgPool_1__", "reduce", "expand", "__Multiply_4__"])
  }

  @Test func modulesChainBothWays() {
    let block = SqueezeExcite().named("a") --> Activation(.relu) --> SqueezeExcite(ratio: 2)
    let model = Model(input: input, output: input --> block.named("stage1"))
    #expect(mistakes(model) == [])
    #expect(
      names(model) == [
        "input", "stage1.a.__GlbAvgPool_1__", "stage1.a.reduce", "stage1.a.expand",
        "stage1.a.__Multiply_4__", "stage1.__Activation_5__", "stage1.__GlbAvgPool_6__",
        "stage1.reduce", "stage1.expand", "stage1.__Multiply_9__",
      ])
    let other = Model() --> Resize(width: 4, height: 4) --> (Convolved() --> Softmax())
    #expect(names(other) == ["input", "__Resize_1__", "conv", "__Softmax_3__"])
    let direct = Convolved().named("b")(input)
    #expect(names(Model(input: input, output: direct)) == ["input", "b.conv"])
  }

  @Test func scopesNest() {
    struct Stage: Module {
      func callAsFunction(_ x: Tensor) -> Tensor {
        x --> Convolution(kernel: (3, 3), channels: 4, name: "conv")
          --> SqueezeExcite().named("se1")
      }
    }
    let twice = Convolved().named("inner").named("outer")
    let model = Model(input: input, output: input --> Stage().named("stage1") --> twice)
    #expect(
      names(model) == [
        "input", "stage1.conv", "stage1.se1.__GlbAvgPool_2__", "stage1.se1.reduce",
        "stage1.se1.expand", "stage1.se1.__Multiply_5__", "outer.inner.conv",
      ])
    #expect(
      model.layers.map(\.scope) == ["stage1"] + Array(repeating: "stage1.se1", count: 4)
        + ["outer.inner"])
  }

  @Test func scopeOfFunction() {
    let offset = 6
    let output =
      input
      --> Scope("head") { x in x --> Dense(neurons: offset + 1, name: "fc") --> Softmax() }
    #expect(
      names(Model(input: input, output: output)) == ["input", "head.fc", "head.__Softmax_2__"])
  }

  // MARK: Sharing

  @Test func twoScopesShareNothing() {
    let model = Model(
      input: input, output: input --> Convolved().named("a") --> Convolved().named("b"))
    #expect(mistakes(model) == [])
    #expect(names(model) == ["input", "a.conv", "b.conv"])
    #expect(Inference(model).nodes.map(\.sharesParameters) == [false, false, false])
    // 4·4 + 4, twice.
    #expect(model.parameterCount == 40)
  }

  @Test func oneScopeShares() {
    let module = Convolved().named("a")
    for output in [
      input --> module --> module, input --> Convolved().named("a") --> Convolved().named("a"),
      input --> (Activation(.relu) --> Convolved() --> Convolved()).named("a"),
    ] {
      let model = Model(input: input, output: output)
      #expect(mistakes(model) == [])
      #expect(model.parameterCount == 20)
      #expect(model.parameterSpecs.map(\.layer) == ["a.conv", "a.conv"])
    }
  }

  @Test func differingModulesDoNotShare() {
    let model = Model(
      input: input,
      output: input --> Convolved().named("a") --> Convolved(channels: 5).named("a"))
    #expect(
      problems(model).map(\.description) == [
        """
        App/Net.swift:9:5: layer 2 "a.conv" (Convolution): the name "a.conv" has two definitions
          received  layer 1 "a.conv" (Convolution) at App/Net.swift:9:5
          needs     the same layer from the same place in source, to share its parameters
          remedy    give one of them another name
        """
      ])
  }

  @Test func scopedNameAndWrittenNameCollide() {
    let written = Convolution(
      kernel: (1, 1), channels: 4, name: "a.conv", fileID: "App/Net.swift", line: 3, column: 5)
    let model = Model(input: input, output: input --> written --> Convolved().named("a"))
    #expect(
      problems(model).map { "\($0.description.prefix { $0 != "\n" })" } == [
        "App/Net.swift:9:5: layer 2 \"a.conv\" (Convolution): "
          + "the name \"a.conv\" has two definitions"
      ])
  }

  // MARK: What belongs to a scope

  /// A module takes a tensor from elsewhere, which keeps its name wherever it was made.
  @Test func capturedTensorsKeepTheirNames() {
    struct Gate: Module {
      let gate: Tensor
      func callAsFunction(_ x: Tensor) -> Tensor {
        [x --> Softmax(name: "own"), gate] --> Multiply()
      }
    }
    let gate = input --> Convolution(kernel: (1, 1), channels: 4, name: "gate") --> Softmax()
    let model = Model(input: input, output: input --> Gate(gate: gate).named("m"))
    #expect(
      names(model) == ["input", "gate", "__Softmax_2__", "m.own", "m.__Multiply_4__"])
    let outer = Model(
      input: input, output: gate --> Scope("s") { [$0, gate] --> Add(name: "sum") })
    #expect(names(outer) == ["input", "gate", "__Softmax_2__", "s.sum"])
  }

  /// Tensors keep their identity, so that one kept from inside a module is not made twice.
  @Test func innerTensorsKeepTheirIdentity() {
    final class Kept: Sendable { let tensor = Mutex<Tensor?>(nil) }
    struct Keeping: Module {
      let kept: Kept
      func callAsFunction(_ x: Tensor) -> Tensor {
        let inner = x --> Activation(.relu, name: "inner")
        kept.tensor.withLock { $0 = inner }
        return inner --> Softmax(name: "last")
      }
    }
    let kept = Kept()
    let y = input --> Keeping(kept: kept).named("k")
    let inner = kept.tensor.withLock { $0 } ?? input
    let model = Model(inputs: [input], outputs: [y, inner --> Flatten(name: "side")])
    #expect(mistakes(model) == [])
    #expect(names(model) == ["input", "k.inner", "k.last", "side"])
  }

  @Test func inputsAndUnchangedTensorsHaveNoScope() {
    struct Same: Module { func callAsFunction(_ x: Tensor) -> Tensor { x } }
    struct Extra: Module {
      let extra: Made
      func callAsFunction(_ x: Tensor) -> Tensor {
        let other = Input(width: 12, height: 8, channels: 4, name: "other")
        extra.tensors.withLock { $0.append(other) }
        return [x, other] --> Add(name: "sum")
      }
    }
    final class Made: Sendable { let tensors = Mutex<[Tensor]>([]) }
    let conv = input --> Convolved()
    #expect((conv --> Same().named("s")) === conv)
    #expect(names(Model(input: input, output: conv)) == ["input", "conv"])
    let made = Made()
    let sum = conv --> Extra(extra: made).named("e")
    let inputs = [input] + made.tensors.withLock { $0 }
    #expect(names(Model(inputs: inputs, outputs: [sum])) == ["input", "conv", "other", "e.sum"])
  }

  /// Modules of several threads do not meet.
  @Test func concurrentScopes() async {
    let found = await withTaskGroup(of: [String].self) { group in
      for task in 0..<8 {
        group.addTask {
          let input = Input(width: 4, height: 4, channels: 4)
          var x = input
          for _ in 0..<200 { x = x --> Convolved(name: "c\(task)").named("t\(task)") }
          return Array(Set(names(Model(input: input, output: x))).sorted())
        }
      }
      return await group.reduce(into: [[String]]()) { $0.append($1) }
    }
    #expect(
      Set(found) == Set((0..<8).map { ["input", "t\($0).c\($0)"] }))
  }

  /// Several threads enclose one tensor, and others read its scopes meanwhile.
  @Test func concurrentUsesOfOneTensor() async {
    let tensor = input --> Softmax()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<100 {
            tensor.enclose(
              in: ScopeUse(id: task * 100 + number, name: "s", typeName: "S", place: nil))
            let ids = tensor.scopes.map(\.id)
            #expect(ids.contains(task * 100 + number))
            #expect(Set(ids).count == ids.count)
          }
        }
      }
    }
    #expect(Set(tensor.scopes.map(\.id)) == Set(0..<800))
    let own = tensor.scopes.map(\.id).filter { $0 < 100 }
    #expect(own == (0..<100).reversed())
  }

  @Test func deepScopes() {
    var step = Convolved().named("s0")
    for depth in 1..<200 { step = step.named("s\(depth)") }
    let model = Model(input: input, output: input --> step)
    let prefix = (0..<200).reversed().map { "s\($0)." }.joined()
    #expect(names(model) == ["input", prefix + "conv"])
    var x = input
    for _ in 0..<10_000 { x = x --> Activation(.relu) }
    let long = x
    let whole = input --> Scope("whole") { _ in long }
    #expect(names(Model(input: input, output: whole)).last == "__Activation_10000__")
    let chain = Block(Array(repeating: Activation(.relu), count: 10_000) as [any Step])
    let inside = Model(input: input, output: input --> chain.named("whole"))
    #expect(names(inside).last == "whole.__Activation_10000__")
  }

  /// Copies of tensors are in scopes of their own.
  @Test func repeatedTensorsKeepNames() {
    let module = input --> SqueezeExcite().named("se1")
    let other = Input(width: 6, height: 6, channels: 4)
    var copies: [ObjectIdentifier: Tensor] = [ObjectIdentifier(input): other]
    var uses: [Int: Int] = [:]
    for node in Inference(Model(input: input, output: module)).nodes where !node.isInput {
      let tensor = node.tensor
      let inputs = tensor.inputs.compactMap { copies[ObjectIdentifier($0)] }
      copies[ObjectIdentifier(tensor)] = tensor.repeated(on: inputs, uses: &uses)
    }
    let copy = copies[ObjectIdentifier(module)] ?? input
    let model = Model(inputs: [input, other], outputs: [module, copy])
    #expect(names(model).filter { $0.hasPrefix("se1.") }.count == 8)
    #expect(
      model.summary(.nested).split(separator: "\n").filter { $0.hasPrefix("se1 ") }.count == 2)
    // 4 + 1 and 4 + 4, shared by both.
    #expect(model.parameterCount == 13)
  }

  // MARK: Several tensors

  private struct Merge: MultiModule {
    func callAsFunction(_ xs: [Tensor]) -> [Tensor] {
      [xs.map { $0 --> Convolved() } --> Add(name: "sum")]
    }
  }

  private struct Split: MultiModule {
    func callAsFunction(_ xs: [Tensor]) -> [Tensor] {
      xs.flatMap { [$0 --> Softmax(name: "p"), $0 --> Activation(.relu, name: "r")] }
    }
  }

  @Test func severalTensors() {
    let a = input --> Softmax()
    let model = Model(input: input, output: [input, a] --> Merge().named("m") --> Flatten())
    #expect(mistakes(model) == [])
    #expect(
      names(model) == ["input", "__Softmax_1__", "m.conv", "m.conv", "m.sum", "__Flatten_5__"])
    let parts = Split().named("s")([input])
    #expect(names(Model(inputs: [input], outputs: parts)) == ["input", "s.p", "s.r"])
    let joined = Model(input: input, output: input --> (Split() --> Merge()).named("b"))
    #expect(names(joined) == ["input", "b.p", "b.r", "b.conv", "b.conv", "b.sum"])
  }

  @Test func wrongNumberOfTensors() {
    let a = input --> Softmax()
    let named = Convolved().named("c", fileID: "App/Net.swift", line: 3, column: 7)
    #expect(
      problems(Model(input: input, output: [input, a] --> named)).map(\.description) == [
        """
        App/Net.swift:3:7: layer 2 "c.__Convolved_2__" (Convolved): a module takes one tensor
          received  2 tensors
          needs     one tensor, or a MultiModule for several
        """
      ])
    #expect(
      mistakes(input, [input, a] --> Convolved()) == [
        """
        layer 2 "__Convolved_2__" (Convolved): a module takes one tensor
          received  2 tensors
          needs     one tensor, or a MultiModule for several
        """
      ])
    #expect(
      mistakes(Model(inputs: [], outputs: []) --> Scope("f") { $0 }).filter { $0.contains("takes") }
        == [
          """
          layer 1 "f.__Function_1__" (Function): a module takes one tensor
            received  no tensor
            needs     one tensor, or a MultiModule for several
          """
        ])
  }

  // MARK: Mistakes

  @Test func mistakesNameTheScopeAndKeepTheirPlace() {
    let model = Model(input: input, output: input --> Convolved(channels: 0).named("se1"))
    #expect(
      problems(model).map(\.description) == [
        """
        App/Net.swift:9:5: layer 1 "se1.conv" (Convolution): channels must be positive
          received  channels: 0
          needs     numbers from 1 to 1048576
        """
      ])
    let constant = Constant([1], name: "one") --> Scope("s") { $0 --> Flatten(name: "f") }
    #expect(
      mistakes(Model(inputs: [input], outputs: [input, constant])).filter {
        $0.contains("no input")
      } == ["an output depends on no input\n  received  Flatten \"s.f\""])
  }

  @Test(arguments: [("", "is empty"), ("a\nb", "has several lines")])
  func unusableScopes(_ name: String, _ mistake: String) {
    let scope = SqueezeExcite().named(name, fileID: "App/Net.swift", line: 3, column: 7)
    #expect(
      problems(Model(input: input, output: input --> scope)).map(\.description) == [
        """
        App/Net.swift:3:7: the name of SqueezeExcite \(mistake)
          remedy    leave .named(…) out, or write one line of text
        """
      ])
  }

  @Test func emptyNameInScope() {
    #expect(
      mistakes(input, input --> Convolved(name: "").named("a")) == [
        """
        layer 1 "a." (Convolution): the name is empty
          remedy    leave the name out, or write one line of text
        """
      ])
  }
}
