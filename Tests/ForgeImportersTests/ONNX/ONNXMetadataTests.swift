import Forge
import ForgeImporters
import Testing

/// What a model says of itself.
@Suite struct ONNXMetadataTests {
  private typealias Writer = ONNXWriter

  private func metadata(
    _ properties: [(String, String)], _ fields: [UInt8] = []
  ) throws -> ModelMetadata {
    let entries = properties.flatMap {
      Writer.field(14, Writer.field(1, $0.0) + Writer.field(2, $0.1))
    }
    let model = Writer.model([Writer.node("Identity", ["x"], ["y"])])
    return try Model(onnx: model + fields + entries).metadata
  }

  @Test func fieldsOfTheModel() throws {
    let fields =
      Writer.field(2, "pytorch") + Writer.field(3, "2.9.1") + Writer.field(4, "org.example.nets")
      + Writer.field(5, 7) + Writer.field(6, "Finds cats.")
    let metadata = try metadata([], fields)
    #expect(metadata.name == "g")
    #expect(metadata.about == "Finds cats.")
    #expect(metadata.producer == "pytorch 2.9.1")
    #expect(metadata.version == "7")
    #expect(metadata.values == ["domain": "org.example.nets"])
    #expect(metadata.author == nil)
    #expect(metadata.license == nil)
    #expect(metadata.labels.isEmpty)
  }

  @Test func nothingIsSaid() throws {
    let metadata = try metadata([])
    #expect(metadata.about == nil)
    #expect(metadata.producer == nil)
    #expect(metadata.version == nil)
    #expect(metadata.values.isEmpty)
  }

  /// The keys that Ultralytics writes, and those that ONNX proposes.
  @Test func ownKeys() throws {
    let metadata = try metadata([
      ("author", "Ultralytics"), ("license", "AGPL-3.0"), ("version", "8.3.1"),
      ("names", "{0: 'person', 1: 'bicycle', 2: \"dog's\"}"), ("stride", "32"),
    ])
    #expect(metadata.author == "Ultralytics")
    #expect(metadata.license == "AGPL-3.0")
    #expect(metadata.version == "8.3.1")
    #expect(metadata.labels == ["person", "bicycle", "dog's"])
    #expect(metadata.values["stride"] == "32")
    #expect(metadata.values.count == 5)
    let proposed = try self.metadata([
      ("author", "b"), ("model_author", "a"), ("model_license", "MIT"),
    ])
    #expect(proposed.author == "a")
    #expect(proposed.license == "MIT")
  }

  @Test(
    arguments: [
      ("[\"cat\", \"dog\"]", ["cat", "dog"]), ("['cat', 'dog',]", ["cat", "dog"]),
      ("{\"0\": \"cat\", \"1\": \"dog\"}", ["cat", "dog"]),
      ("{1: 'dog', 0: 'cat'}", ["cat", "dog"]),
      (" [ \"\\u00e9t\\u00e9\\n\", \"\\ud83d\\udc08\" ] ", ["été\n", "🐈"]),
      ("['a\\'b\\\\c', \"d\\\"e\\/\"]", ["a'b\\c", "d\"e/"]), ("['']", [""]),
    ])
  func labels(_ text: String, _ expected: [String]) throws {
    for key in ["names", "labels", "classes"] {
      let metadata = try metadata([(key, text)])
      #expect(metadata.labels == expected)
      #expect(metadata.values[key] == text)
    }
  }

  /// What is not a list stays a text.
  @Test(
    arguments: [
      "", "cat, dog", "[]", "{}", "[1, 2]", "[\"cat\"", "[\"cat]", "[\"cat\" \"dog\"]",
      "[\"cat\"] x", "{0: 'a', 2: 'b'}", "{0: 'a', 0: 'b'}", "{a: 'b'}", "{-1: 'a'}",
      "{99999999999999999999: 'a'}", "[\"\\ud83d\"]", "[\"\\u12\"]", "['\\x41']", "[['a']]",
      "[", "{0", "{0:", "[\"\\", "[,]",
    ])
  func noLabels(_ text: String) throws {
    let metadata = try metadata([("names", text)])
    #expect(metadata.labels.isEmpty)
    #expect(metadata.values["names"] == text)
  }

  @Test func manyLabels() throws {
    let labels = (0..<20_000).map { "class \($0)" }
    let text = "{" + labels.enumerated().map { "\($0): '\($1)'" }.joined(separator: ", ") + "}"
    #expect(try metadata([("names", text)]).labels == labels)
  }
}
