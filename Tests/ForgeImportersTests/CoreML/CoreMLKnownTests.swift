import Forge
import ForgeImporters
import Foundation
import Testing

/// Every layer and operation of Core ML that Forge knows has a case by coremltools, and what a file
/// says of itself is listed.
@Suite struct CoreMLKnownTests {
  private static func facts(_ name: String) throws -> [ModelFact] {
    try ModelFile(ImporterFixtures.path("CoreML/\(name)")).facts()
  }

  /// The names in the facts of all models that Forge reads, such as those of layers.
  private static func names(_ label: String) throws -> Set<String> {
    var names: Set<String> = []
    for folder in ["", "Programs/", "Suppression/"] {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: ImporterFixtures.path("CoreML/\(folder)"))
      for file in files where file.contains(".ml") && !file.hasPrefix("unsupported") {
        for fact in try facts(folder + file) where fact.label == label {
          names.formUnion(fact.text.split(separator: ", ").map { String($0.prefix { $0 != " " }) })
        }
      }
    }
    return names
  }

  @Test func everyLayerHasACase() throws {
    #expect(CoreMLKnown.layers.count > 100)
    let missing = Set(CoreMLKnown.layers).subtracting(try Self.names("layers"))
    #expect(missing.sorted() == [])
  }

  @Test func everyOperationHasACase() throws {
    #expect(CoreMLKnown.operations.count > 100)
    // A constant is no operation in the facts.
    let missing = Set(CoreMLKnown.operations).subtracting(try Self.names("operations"))
    #expect(missing.sorted() == ["const"])
  }

  @Test func namesAreThereOnce() {
    let names = CoreMLKnown.layers + CoreMLKnown.operations
    #expect(Dictionary(grouping: names) { $0 }.filter { $0.value.count > 2 }.keys.sorted() == [])
    #expect(Set(CoreMLKnown.layers).count == CoreMLKnown.layers.count)
  }

  /// The order of the channels, and the preprocessing that the file does by itself.
  @Test func preprocessingIsListed() throws {
    for (file, text) in [
      (
        "classifier.mlmodel",
        "data: blue, green, red, minus a mean image, times 0.015625, plus 0.1 red, -0.2 green, "
          + "0.3 blue"
      ),
      ("flatten_last.mlmodel", "gray: gray, times 0.003921569, plus -0.5 gray"),
      // A program has its own operations for this.
      ("Programs/classifier.mlpackage", "photo: blue, green, red"),
    ] {
      #expect(try Self.facts(file).filter { $0.label == "image" } == [ModelFact("image", text)])
    }
    // What the network expects of pictures: the file's arithmetic is part of it.
    func pictures(_ file: String) throws -> [String: PicturePreparation] {
      try ImportedModel(coreML: ImporterFixtures.path("CoreML/\(file)")).model.metadata.pictures
    }
    let color = try #require(try pictures("classifier.mlmodel")["data"])
    #expect(color.colors == .rgb && color.scale == [1] && color.bias == [0])
    #expect(color.fit == .stretched && color.width ?? 0 > 0 && color.height ?? 0 > 0)
    #expect(try pictures("flatten_last.mlmodel")["gray"]?.colors == .gray)
    #expect(try pictures("Programs/classifier.mlpackage").keys.sorted() == ["photo"])
    #expect(try pictures("windows.mlmodel").isEmpty)
    // An array is no image.
    #expect(try Self.facts("windows.mlmodel").allSatisfy { $0.label != "image" })
  }
}
