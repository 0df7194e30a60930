import ForgeShapes
import Testing

/// The common format of all errors.
@Suite struct ProblemTests {
  private struct Cause: Error, CustomStringConvertible {
    let description: String
  }

  @Test func fullDescription() {
    let problem = Problem(
      place: SourcePlace(fileID: "App/Net.swift", line: 14, column: 7),
      layer: Problem.LayerReference(position: 4, name: "conv2", typeName: "Convolution"),
      headline: "the output would be empty",
      details: [
        ("received", "2×2×20 (width×height×channels) from \"pool1\""),
        ("needs", "width and height of at least 5 for a 5×5 kernel with padding .valid"),
      ])
    #expect(
      problem.description == """
        App/Net.swift:14:7: layer 4 "conv2" (Convolution): the output would be empty
          received  2×2×20 (width×height×channels) from "pool1"
          needs     width and height of at least 5 for a 5×5 kernel with padding .valid
        """)
  }

  @Test func missingParts() {
    #expect(Problem(headline: "nothing fits").description == "nothing fits")
    let place = SourcePlace(fileID: "A/B.swift", line: 1, column: 2)
    #expect(Problem(place: place, headline: "x").description == "A/B.swift:1:2: x")
    let input = Problem.LayerReference(position: 0, name: "input", typeName: "Input")
    #expect(Problem(layer: input, headline: "x").description == "\"input\" (Input): x")
  }

  @Test func causesAndContinuationLines() {
    let problem = Problem(
      headline: "x", details: [("received", "one\ntwo\n\nfour"), ("a longer label", "three")],
      cause: Cause(description: "five\nsix"))
    #expect(
      problem.description == """
        x
          received  one
                    two
                    \("")
                    four
          a longer label three
          cause     five
                    six
        """)
  }

  @Test func shapeErrors() {
    let error = ShapeError(
      .shapeMismatch, "x", received: "a", needs: "b", remedy: "c")
    #expect(error.description == "x\n  received  a\n  needs     b\n  remedy    c")
    #expect(ShapeError(.tooLarge, "x", remedy: "c").description == "x\n  remedy    c")
    #expect(ShapeError(.tooLarge, "x").description == "x")
    #expect(error == ShapeError(.shapeMismatch, "x", received: "a", needs: "b", remedy: "c"))
    #expect(error != ShapeError(.tooLarge, "x", received: "a", needs: "b", remedy: "c"))
  }

  @Test func sourceLocations() {
    let place = SourcePlace(fileID: "App/Net.swift", line: 14, column: 7)
    #expect("\(place)" == "App/Net.swift:14:7")
    #expect(place != SourcePlace(fileID: "App/Net.swift", line: 14, column: 8))
  }
}
