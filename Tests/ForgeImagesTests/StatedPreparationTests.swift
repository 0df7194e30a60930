import Forge
import ForgeImages
import ForgeImporters
import Testing

/// Preparations that the metadata of a network state.
@Suite struct StatedPreparationTests {
  private static let preparations = [
    ImagePreparation.torchvision(), .letterbox(100, width: 9, height: 7),
    ImagePreparation(normalization: .keras(.caffe)),
    ImagePreparation(crop: .center, filter: .nearest, normalization: .raw.ordered(.gray)),
    ImagePreparation(
      width: 3, height: 2, crop: .shorterSideFloored(5), filter: .bicubic,
      normalization: .keras(.tf)),
    ImagePreparation(filter: .area, normalization: .torch),
    ImagePreparation(filter: .lanczos, normalization: .unitRange),
    ImagePreparation(filter: .bilinearAliased, normalization: .unitRange),
  ]

  @Test(arguments: preparations)
  func thereAndBack(_ preparation: ImagePreparation) throws {
    let stated = try #require(preparation.stated)
    #expect(ImagePreparation(stated) == preparation)
  }

  @Test func whatMetadataCannotSay() {
    var mean = ImagePreparation(width: 1, height: 1, normalization: .raw)
    mean.meanImage = TensorValues(width: 1, height: 1, channels: 3, values: [1, 2, 3])
    var planes = ImagePreparation(normalization: .raw)
    planes.layout = .channelsFirst
    for preparation in [
      mean, planes, ImagePreparation(crop: .center(fraction: 0.5), normalization: .raw),
      ImagePreparation(
        crop: .rectangle(CropRectangle(x: 0, y: 0, width: 1, height: 1)), normalization: .raw),
      ImagePreparation(
        crop: .letterbox(PixelColor(red: 1, green: 2, blue: 3)), normalization: .raw),
    ] {
      #expect(preparation.stated == nil)
    }
  }

  @Test func descriptions() {
    #expect("\(PicturePreparation())" == "rgb")
    #expect(
      "\(PicturePreparation(width: 640, height: 480, scale: [0.5], fit: .letterbox(114)))"
        == "640×480 rgb, times 0.5, in a border of gray 114")
    #expect(
      "\(PicturePreparation(colors: .bgr, bias: [-1, 2], fit: .shorterSide(8), filter: .area))"
        == "bgr, plus -1.0 2.0, the center of a shorter side of 8, area")
    #expect("\(PicturePreparation(colors: .gray, fit: .center))" == "gray, the center")
  }

  // MARK: Tasks

  private static func model() -> Model {
    let input = Input(width: 9, height: 7, name: "picture")
    return Model(input: input, output: input --> GlobalAveragePooling(name: "means"))
  }

  private static func picture() throws -> Image {
    try Image(
      width: 20, height: 11, format: .rgb,
      pixels: (0..<660).map { UInt8(truncatingIfNeeded: $0 * 7) })
  }

  @Test func tasksTakeWhatIsStated() throws {
    var model = Self.model()
    let preparation = ImagePreparation(
      crop: .letterbox(PixelColor(gray: 9)), normalization: .keras(.tf))
    model.metadata.pictures["picture"] = preparation.stated
    let network = try model.compile()
    let stated = try ImageTask.classifier(network, labels: ["r", "g", "b"])
    let given = try ImageTask.classifier(
      network, preparation: preparation, labels: ["r", "g", "b"])
    let image = try Self.picture()
    #expect(try stated.predict(image) == given.predict(image))
    #expect(stated.preparation == given.preparation)
    // What is given goes before what is stated.
    let raw = try ImageTask.classifier(
      network, preparation: ImagePreparation(normalization: .raw), labels: ["r", "g", "b"])
    #expect(try raw.predict(image) != given.predict(image))
  }

  @Test func nothingIsStated() throws {
    let network = try Self.model().compile()
    let error = #expect(throws: ImageError.self) { _ = try ImageTask.classifier(network) }
    #expect(
      "\(error.map { "\($0)" } ?? "")" == """
        nothing says how pictures are prepared for the input "picture"
          needs     a preparation, such as .torchvision(), as the network was trained
          remedy    state it in the task, or in metadata.pictures of the model
        """)
  }

  /// Numbers of a file that make no sense are errors, or numbers that are not finite.
  @Test func hostileStatements() throws {
    for stated in [
      PicturePreparation(scale: [1, 2]), PicturePreparation(scale: []),
      PicturePreparation(width: -1, height: 3), PicturePreparation(width: 9, height: 8),
      PicturePreparation(colors: .gray), PicturePreparation(fit: .shorterSide(-5)),
      PicturePreparation(fit: .shorterSideFloored(1)),
      PicturePreparation(width: .max, height: .max),
    ] {
      var model = Self.model()
      model.metadata.pictures["picture"] = stated
      let network = try model.compile()
      #expect(throws: ImageError.self, "\(stated)") {
        _ = try ImageTask.classifier(network).predict(Self.picture())
      }
    }
  }
}
