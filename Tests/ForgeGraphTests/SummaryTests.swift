import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Foundation
import Testing

/// The exact summary table of a network.
@Suite struct SummaryTests {
  /// The network of the 2017 toolkit's introduction.
  private let blog: Model = {
    let relu = Activation(.relu)
    return Model()
      --> Resize(width: 64, height: 64)
      --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Convolution(kernel: (5, 5), channels: 40, activation: .relu, name: "conv2")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Dense(neurons: 200, name: "fc1")
      --> relu
      --> Dense(neurons: 10, name: "fc2")
      --> Softmax()
  }()

  private let blogTable = """
    Layer                          Type       Output Shape     Parameters
    ---------------------------------------------------------------------
    __Resize_1__                   Resize     (64, 64, 3)      0
    conv1                          Conv       (64, 64, 20)     1520
    __MaxPool_3__                  MaxPool    (32, 32, 20)     0
    conv2                          Conv       (32, 32, 40)     20040
    __MaxPool_5__                  MaxPool    (16, 16, 40)     0
    fc1                            Dense      (1, 1, 200)      2048200
    __Activation_7__               Activation (1, 1, 200)      0
    fc2                            Dense      (1, 1, 10)       2010
    __Softmax_9__                  Softmax    (1, 1, 10)       0
    ---------------------------------------------------------------------
    Number of layers: 9
    Total parameters: 2071770
    """

  @Test func summaryMatchesBlogTable() {
    #expect(blog.summary() == blogTable)
  }

  /// The same against the web page, where it is beside the repository.
  @Test(.shared("data/summary_blog.txt"))
  func summaryMatchesBlogFile() throws {
    let file = try Data(contentsOf: SharedFiles.data.appending(path: "summary_blog.txt"))
    #expect(Data((blog.summary() + "\n").utf8) == file)
  }

  /// Shapes are those of the longest sequence, and a line says so.
  @Test func lengthsAreStated() {
    func last(_ size: InputSize) -> [String] {
      let input = Input(shape: [size, 3])
      return Model(input: input, output: input --> Activation(.relu, name: "a")).summary()
        .split(separator: "\n").suffix(3).map(String.init)
    }
    #expect(
      last(.upTo(64)) == [
        "Number of layers: 1",
        "Length of sequences: from 1 to 64; shapes are those of the longest",
        "Total parameters: 0",
      ])
    #expect(
      last(.stepping(from: 40, through: 200, by: 8))[1]
        == "Length of sequences: from 40 to 200 in steps of 8; shapes are those of the longest")
    #expect(last(.exactly(64))[1] == "Number of layers: 1")
  }

  @Test func columnsWidenForLongNames() {
    /// A layer with a long name of its type.
    struct ProjectionOntoTheSphere: Layer {
      var name: String?
      var place = SourcePlace(fileID: "App/Net.swift", line: 1, column: 1)
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        lowering.output = lowering.inputs[0]
      }
    }
    let input = Input(width: 1_000_000, height: 1000, channels: 100)
    let output =
      input
      --> ProjectionOntoTheSphere(name: "block3/unit2/bottleneck_v1/conv1é")
      --> Resize(width: 1000, height: 1000)
      --> Dense(neurons: 1000, name: "fc")
    #expect(
      Model(input: input, output: output).summary() == """
        Layer                             Type                    Output Shape         Parameters
        -------------------------------------------------------------------------------------------
        block3/unit2/bottleneck_v1/conv1é ProjectionOntoTheSphere (1000000, 1000, 100) 0
        __Resize_2__                      Resize                  (1000, 1000, 100)    0
        fc                                Dense                   (1, 1, 1000)         100000001000
        -------------------------------------------------------------------------------------------
        Number of layers: 3
        Total parameters: 100000001000
        """)
  }

  @Test func unknownSizesAndOtherRanks() {
    let wide = Input(width: 12, channels: 3)
    let row = Input(shape: [2, 3, 4])
    let a = wide --> Convolution(kernel: (3, 3), channels: 4, stride: (2, 2), name: "a")
    let b = row --> Reshape(to: [6, 4], name: "b")
    #expect(
      Model(inputs: [wide, row], outputs: [a, b]).summary() == """
        Layer                          Type       Output Shape     Parameters
        ---------------------------------------------------------------------
        a                              Conv       (6, ?, 4)        112
        b                              Reshape    (6, 4)           0
        ---------------------------------------------------------------------
        Number of layers: 2
        Total parameters: 112
        """)
  }

  @Test func modelWithErrors() {
    struct Sneaky: Step {}
    let model =
      Model() --> Convolution(kernel: (3, 3), channels: 4, name: "conv")
      --> Dense(neurons: 10, name: "fc") --> Sneaky() --> Softmax()
    #expect(!problems(model).isEmpty)
    #expect(
      model.summary() == """
        Layer                          Type       Output Shape     Parameters
        ---------------------------------------------------------------------
        conv                           Conv       (?, ?, 4)        112
        fc                             Dense      ?                0
        __Sneaky_3__                   Sneaky     ?                0
        __Softmax_4__                  Softmax    ?                0
        ---------------------------------------------------------------------
        Number of layers: 4
        Number of mistakes: 1; check() describes them
        Total parameters: 112
        """)
    #expect(problems(model).count == 1)
    #expect(further(model)[3] == "0             ?          conv")
  }

  /// What the detailed table says to the right of the standard one, which it repeats.
  private func further(
    _ model: Model, at place: SourceLocation = #_sourceLocation
  ) -> [String] {
    let standard = model.summary().split(separator: "\n")
    let detailed = model.summary(.detailed).split(separator: "\n")
    #expect(detailed.count == standard.count + 1, sourceLocation: place)
    return zip(standard, detailed).map { standard, detailed in
      #expect(detailed.hasPrefix(standard), sourceLocation: place)
      // Columns of 30, 10, 16 and 10 characters with one between them.
      return String(detailed.dropFirst(30 + 10 + 16 + 10 + 4))
    }
  }

  @Test func emptyModel() {
    let head = """
      Layer                          Type       Output Shape     Parameters
      ---------------------------------------------------------------------
      ---------------------------------------------------------------------
      Number of layers: 0
      """
    #expect(Model().summary() == head + "\nTotal parameters: 0")
    let mistakes = "\nNumber of mistakes: 2; check() describes them\nTotal parameters: 0"
    #expect(Model(inputs: [], outputs: []).summary() == head + mistakes)
  }

  @Test func detailed() {
    let input = Input(width: 6, height: 4, channels: 2, name: "picture")
    let a = input --> Convolution(kernel: (3, 1), channels: 8, name: "a")
    let b = input --> PointwiseConvolution(channels: 8, name: "b")
    let output = [a, b] --> Add() --> Dense(neurons: 5, name: "fc")
    // a: 6·4·8 values of 3·2 taps; b: of 2; fc: 5·192.
    let model = Model(input: input, output: output)
    #expect(
      further(model) == [
        "Multiply-adds Bytes      Inputs",
        "-----------------------------------",
        "1152          768        picture",
        "384           768        picture",
        "0             768        a, b",
        "960           20         __Add_3__",
        "-----------------------------------",
        "", "",
      ])
    #expect(model.summary(.detailed).hasSuffix("parameters: 1045\nTotal multiply-adds: 2496"))
  }

  /// A column is as wide as its widest cell, so that a cell lists eight names.
  @Test func manyInputs() {
    let input = Input(width: 2, height: 1, channels: 3, name: "x")
    for (count, names) in [
      (8, "x, x, x, x, x, x, x, x"), (9, "x, x, x, x, x, x, x, x and 1 more"),
      (1000, "x, x, x, x, x, x, x, x and 992 more"),
    ] {
      let output = Array(repeating: input, count: count) --> Concatenate(name: "all")
      let model = Model(input: input, output: output)
      #expect(model.summary(.detailed).split(separator: "\n")[2].hasSuffix(" \(names)"), "\(count)")
    }
  }

  @Test func planKernels() {
    let model = Model() --> Resize(width: 4, height: 4) --> Softmax()
    let table = SummaryTable(Inference(model), detail: .detailed) { "kernel \($0)" }.text
    let lines = table.split(separator: "\n")
    #expect(lines[0].hasSuffix("Inputs       Kernel"))
    #expect(lines[2].hasSuffix("input        kernel 1"))
    #expect(lines[3].hasSuffix("__Resize_1__ kernel 2"))
    let standard = SummaryTable(Inference(model), detail: .standard) { "kernel \($0)" }.text
    #expect(standard == model.summary())
  }

  @Test func sharedParametersCountOnce() {
    let input = Input(width: 6, height: 4, channels: 8)
    let conv = Convolution(kernel: (1, 1), channels: 8, name: "conv")
    let model = Model(input: input, output: input --> conv --> Softmax() --> conv)
    #expect(
      model.summary() == """
        Layer                          Type       Output Shape     Parameters
        ---------------------------------------------------------------------
        conv                           Conv       (6, 4, 8)        72
        __Softmax_2__                  Softmax    (6, 4, 8)        0
        conv                           Conv       (6, 4, 8)        0
        ---------------------------------------------------------------------
        Number of layers: 3
        Total parameters: 72
        """)
    // Their work is done each time: 6·4·8·8.
    #expect(model.summary(.detailed).hasSuffix("Total multiply-adds: 3072"))
  }
}
