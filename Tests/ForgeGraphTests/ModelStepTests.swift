import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// Models as steps: their layers repeated on other tensors.
@Suite struct ModelStepTests {
  private let photo = Input(width: 12, height: 8, channels: 3, name: "photo")

  /// A model of one input of any size, with parameters.
  private func backbone() -> Model {
    let image = Input(channels: 3, name: "image")
    return Model(
      input: image,
      output: image --> Convolution(kernel: 3, channels: 5, name: "conv") --> ReLU(name: "relu"))
  }

  @Test func modelAfterTensor() {
    let model = backbone()
    let features = photo --> model
    #expect(features.shape == image(12, 8, 5))
    let whole = Model(input: photo, output: features --> Softmax(name: "s"))
    #expect(
      wiring(whole) == [
        "photo", "conv = Convolution(photo)", "relu = Activation(conv)", "s = Softmax(relu)",
      ])
    #expect(mistakes(whole) == [])
    #expect(wiring(model)[0] == "image")
    #expect(model.outputs.map(\.shape) == [image(nil, nil, 5)])
  }

  @Test func modelUsedTwiceSharesItsParameters() {
    let other = Input(width: 6, height: 6, channels: 3, name: "other")
    let model = backbone()
    let means = [photo, other].map { $0 --> model --> GlobalAveragePooling() }
    let both = Model(inputs: [photo, other], outputs: [means[0] + means[1]])
    #expect(mistakes(both) == [])
    let nodes = Inference(both).nodes.filter { $0.name == "conv" }
    #expect(nodes.map(\.sharesParameters) == [false, true])
    #expect(both.parameterCount == model.parameterCount)
  }

  @Test func modelOfSeveralInputsAndOutputs() {
    let (a, b) = (Input(shape: [4], name: "a"), Input(shape: [4], name: "b"))
    let sum = [a, b] --> Add(name: "sum")
    let pair = Model(inputs: [b, a], outputs: [sum, a, sum --> Softmax(name: "s")])
    let (x, y) = (Input(shape: [4], name: "x"), Input(shape: [4], name: "y"))
    let outputs = pair(x, y)
    // The inputs of the model are b and a, in this order.
    #expect(outputs.count == 3)
    #expect(outputs[1] === y)
    let whole = Model(inputs: [x, y], outputs: outputs)
    #expect(wiring(whole) == ["x", "y", "sum = Add(y, x)", "s = Softmax(sum)"])
    #expect(mistakes(whole) == [])
    let joined = Model(inputs: [x, y], outputs: [x, y]) --> pair --> Concatenate(name: "c")
    #expect(wiring(joined).last == "c = Concatenate(sum, y, s)")
    #expect((Model(inputs: [x, y], outputs: [x, y]) --> pair).outputs.count == 3)
  }

  @Test func modelInBlocksAndAfterModels() {
    let head = Model(channels: 5) --> Dense(neurons: 2, name: "fc")
    let block = backbone() --> head
    #expect(
      wiring(block) == [
        "image", "conv = Convolution(image)", "relu = Activation(conv)",
        "fc = Dense(relu)",
      ])
    let chain: Block = ReLU(name: "first") --> backbone() --> Softmax(name: "last")
    #expect(
      wiring(Model(input: photo, output: photo --> chain)) == [
        "photo", "first = Activation(photo)", "conv = Convolution(first)",
        "relu = Activation(conv)", "last = Softmax(relu)",
      ])
  }

  @Test func modelRepeatsConstantsAndArithmetic() {
    let image = Input(channels: 3)
    let model = Model(input: image, output: (image + Constant([1, 2, 3], name: "k")) * 2)
    let whole = Model(input: photo, output: photo --> model)
    #expect(
      wiring(whole) == [
        "photo", "k = Constant()", "__Add_2__ = Add(photo, k)",
        "__Multiply_3__ = Multiply(__Add_2__)",
      ])
    #expect(mistakes(whole) == [])
  }

  @Test func wrongNumberOfInputs() {
    let model = backbone(); let place = model.place
    let whole = Model(input: photo, output: [photo, photo] --> model)
    #expect(
      mistakes(whole) == [
        """
        layer 1 "__Model_1__" (Model): wrong number of inputs
          received  2 tensors
          needs     exactly 1 tensor
        """
      ])
    #expect(places(whole) == [place.description])
    let pair = Model(inputs: [photo, Input()], outputs: [photo, photo])
    #expect(pair(photo).count == 2)
    #expect(
      mistakes(Model(inputs: [photo], outputs: pair())).contains {
        $0.contains("a mistake of its own")
      })
  }

  @Test func shapeThatDoesNotFit() {
    let small = Input(width: 6, height: 4, channels: 3)
    let model = Model(input: small, output: small --> Flatten())
    let whole = Model(input: photo, output: photo --> model --> Softmax())
    #expect(
      mistakes(whole) == [
        """
        layer 1 "__Model_1__" (Model): input does not fit the model
          received  12×8×3 (width×height×channels) from "photo"
          needs     6×4×3 (width×height×channels)
          remedy    put Resize(width: 6, height: 4) before the model
        """
      ])
    #expect(places(whole) == [model.place.description])
    #expect(mistakes(Model() --> model).count == 1)
    #expect(mistakes(Model() --> Resize(width: 6, height: 4) --> model) == [])
    let vector = Input(shape: [4])
    #expect(
      mistakes(vector, vector --> model) == [
        """
        layer 1 "__Model_1__" (Model): input does not fit the model
          received  4 (in memory order) from "input"
          needs     6×4×3 (width×height×channels)
        """
      ])
    let two = Model(inputs: [small, vector], outputs: [small --> Flatten(), vector])
    #expect(
      mistakes(Model(inputs: [vector], outputs: two(small, small))).contains {
        $0.contains("input 2 does not fit the model")
      })
  }

  @Test func severalOutputsWhereOneIsNeeded() {
    let model = Model(inputs: [photo], outputs: [photo, photo --> ReLU(name: "r")])
    let whole = Model(input: photo, output: photo --> model)
    #expect(
      mistakes(whole) == [
        """
        layer 2 "__Model_2__" (Model): a step of one output is needed here
          received  a step of 2 outputs
          needs     one output, as --> returns one tensor
          remedy    call outputs(for: [x]), which returns all of them
        """
      ])
    #expect(places(whole) == [model.place.description])
  }

  @Test func modelWithMistakesOfItsOwn() {
    let image = Input(channels: 3)
    let twice = Model(inputs: [image, image], outputs: [image])
    #expect(
      mistakes(photo, [photo, photo] --> twice) == [
        """
        layer 1 "__Model_1__" (Model): the model has a mistake of its own
          received  one input is given to the model twice
          remedy    call check() on the model, which describes its mistakes
        """
      ])
    // A layer that fails does so again where it is repeated, in its own place.
    let wrong = Model() --> Dense(neurons: 0, name: "fc")
    #expect(
      problems(Model(input: photo, output: photo --> wrong)).map { $0.layer?.name } == ["fc"])
    let empty = Model(inputs: [photo], outputs: [])
    #expect(mistakes(photo, photo --> empty).count == 1)
  }

  @Test func mistakesBeforeModelAreReportedOnce() {
    let wrong = photo --> Dense(neurons: 0, name: "fc")
    #expect(
      problems(Model(input: photo, output: wrong --> backbone())).map { $0.layer?.name } == ["fc"])
  }

  @Test func metadataOfLeftModelStays() {
    var left = Model()
    left.metadata.name = "left"
    var right = backbone()
    right.metadata.name = "right"
    #expect((left --> right).metadata.name == "left")
  }
}
