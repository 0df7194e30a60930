import ForgeGraph
import ForgeLayers
import ForgeShapes
import Foundation
import Testing

/// Networks so deep or so wide that recursion or a walk of every path would fail.
@Suite struct DepthTests {
  /// Runs `body` on a thread whose stack would not hold a frame for each of many thousand layers.
  private func onASmallStack(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        body()
        continuation.resume()
      }
      thread.stackSize = 256 << 10
      thread.start()
    }
  }

  private let depth = 100_000

  @Test func chainOf100000Layers() async {
    let depth = depth
    await onASmallStack {
      let input = Input(width: 12, height: 8, channels: 3)
      weak var early: Tensor?
      do {
        var x = input --> Softmax()
        early = x
        for _ in 1..<depth { x = x --> Activation(.relu) }
        #expect(x.shape == image(12, 8, 3))
        let model = Model(input: input, output: x)
        #expect(problems(model).isEmpty)
        let lines = model.summary().split(separator: "\n")
        // Header, rule, a row a layer, rule, two totals.
        #expect(lines.count == depth + 5)
        #expect(
          lines[depth + 1] == "__Activation_100000__          Activation (12, 8, 3)       0")
        #expect(lines[depth + 3] == "Number of layers: 100000")
        #expect(early != nil)
      }
      #expect(early == nil)
    }
  }

  @Test func modelExtendedLayerByLayer() async {
    let depth = depth
    await onASmallStack {
      var model = Model()
      for _ in 0..<depth { model = model --> Activation(.relu) }
      #expect(Inference(model).nodes.count == depth + 1)
      #expect(model.outputs.map(\.shape) == [image(nil, nil, 3)])
    }
  }

  /// A deep model repeated on another input, and one appended to itself.
  @Test func deepModelsAsSteps() async {
    let depth = depth
    await onASmallStack {
      let input = Input(width: 12, height: 8, channels: 3)
      var x = input
      for _ in 0..<depth { x = x --> Activation(.relu) }
      let model = Model(input: input, output: x)
      let photo = Input(width: 12, height: 8, channels: 3)
      let whole = Model(input: photo, output: photo --> model)
      #expect(Inference(whole).nodes.count == depth + 1)
      #expect(whole.outputs.map(\.shape) == [image(12, 8, 3)])
      #expect(Inference(model --> model).nodes.count == 2 * depth + 1)
    }
  }

  @Test func deepArithmetic() async {
    let depth = depth
    await onASmallStack {
      let input = Input(shape: [4])
      var x = input
      for _ in 0..<depth / 2 { x = x * 2 - input }
      #expect(Inference(Model(input: input, output: x)).nodes.count == depth / 2 * 2 + 1)
    }
  }

  /// Nested blocks, each with the next as its first, last or middle step.
  @Test(arguments: 0..<3) func nestedBlocks(place: Int) async {
    let depth = depth
    await onASmallStack {
      var block = Activation(.tanh) --> Softmax()
      for _ in 0..<depth {
        var steps: [any Step] = [Activation(.relu), Activation(.relu)]
        steps.insert(block, at: place)
        block = Block(steps)
      }
      let copy = block
      let x = Input(width: 1, height: 1, channels: 3) --> block
      #expect(x.shape == image(1, 1, 3))
      #expect(copy.steps.count == 3)
    }
  }

  /// A shared block is intact after one of its owners is released.
  @Test func sharedBlocksSurviveRelease() {
    let inner = Activation(.tanh) --> Softmax()
    var outer: Block? = Block([inner, Block([inner, Activation(.relu)])])
    #expect(outer?.steps.count == 2)
    outer = nil
    #expect(inner.steps.count == 2)
    let x = Input(width: 1, height: 1, channels: 3) --> (inner --> inner)
    #expect(x.shape == image(1, 1, 3))
  }

  @Test func errorAtStartOfDeepChain() async {
    let depth = depth
    await onASmallStack {
      let input = Input(width: 12, height: 8, channels: 3)
      var x = input --> Dense(neurons: 0, name: "fc")
      for _ in 0..<depth { x = x --> Activation(.relu) }
      let found = problems(Model(input: input, output: x))
      #expect(found.map { $0.layer?.name } == ["fc"])
    }
  }

  @Test func deepBranchesReleasedFromTheirEnds() async {
    let depth = depth
    await onASmallStack {
      let input = Input(shape: [4])
      var left = input
      var right = input
      for index in 0..<depth {
        // Rungs between the two make every tensor the input of several.
        let sum = index.isMultiple(of: 10) ? [left, right] --> Add() : right --> Softmax()
        (left, right) = (right, sum)
      }
      weak let last = right
      left = input
      #expect(last != nil)
      right = input
      #expect(last == nil)
    }
  }

  @Test func blockOfManyLayers() {
    var block = Softmax() --> Activation(.relu)
    for _ in 2..<2000 { block = block --> Activation(.relu) }
    #expect(Inference(Model() --> block).nodes.count == 2001)
  }

  /// Sixty times both inputs from one tensor: 2⁶⁰ paths, 61 tensors.
  @Test func exponentialPathsAreTraversedOnce() {
    let input = Input(width: 12, height: 8, channels: 3)
    weak var middle: Tensor?
    do {
      var x = input
      for level in 1...60 {
        x = [x, x] --> Add()
        if level == 30 { middle = x }
      }
      let model = Model(input: input, output: x)
      #expect(problems(model).isEmpty)
      #expect(Inference(model).nodes.count == 61)
      #expect(model.summary(.detailed).split(separator: "\n").count == 66)
      #expect(middle != nil)
    }
    #expect(middle == nil)
  }

  @Test func manyPathsToOneError() {
    let input = Input(shape: [4])
    var x = input --> Dense(neurons: 0, name: "fc")
    for _ in 1...60 { x = [x, x, input] --> Add() }
    #expect(problems(Model(input: input, output: x)).map { $0.layer?.name } == ["fc"])
  }

  @Test func layerWithManyInputs() {
    let input = Input(shape: [1])
    let wide = (0..<10_000).map { _ in input --> Activation(.relu) }
    let model = Model(input: input, output: wide --> Concatenate(name: "all"))
    #expect(model.outputs[0].shape == Shape(sizes: [10_000]))
    #expect(problems(model).isEmpty)
  }

  /// Every task releases its reference to one long chain; the last one frees it.
  @Test func sharedTensorsReleasedOnSeveralThreads() async {
    for _ in 1...3 {
      let input = Input(shape: [4])
      var trunk = input --> Softmax()
      weak let early = trunk
      for _ in 0..<50_000 { trunk = trunk --> Activation(.relu) }
      var ends = (0..<8).map { _ in trunk --> Softmax() }
      trunk = input
      await withTaskGroup(of: Void.self) { group in
        while let end = ends.popLast() {
          group.addTask { #expect(end.shape == Shape(sizes: [4])) }
        }
      }
      #expect(early == nil)
    }
  }
}
