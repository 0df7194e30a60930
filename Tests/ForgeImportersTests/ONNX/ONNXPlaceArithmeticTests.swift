import Forge
import ForgeImporters
import Foundation
import Testing

/// Arithmetic on integers that are only places of a table; Scripts/references/make_onnx_places.py
/// made the files.
@Suite struct ONNXPlaceArithmeticTests {
  private func imported(_ name: String) throws -> ImportedModel {
    try ImportedModel(onnx: ImporterFixtures.path("ONNX/Places/\(name).onnx"))
  }

  /// The rows of the table, each of whose numbers is 10 · row + column.
  private func rows(_ places: [Int]) -> [Float] {
    places.flatMap { place in (0..<3).map { Float(10 * place + $0) } }
  }

  @Test(arguments: ["wrapped_i32", "wrapped_i64", "wrapped_from_float"])
  func placesFromTheEnd(_ name: String) throws {
    let network = try imported(name).model.compile()
    #expect(try network.predict([0, -1, 6, -7]) == rows([0, 6, 6, 0]))
    // Places that are none end the prediction, however large they are.
    for wrong: Float in [7, -8, 4_194_305, 8_388_609, -16_777_215, 16_777_215] {
      #expect(throws: PredictionError.self) { try network.predict([0, wrong, 1, 2]) }
    }
  }

  /// Numbers from a cast have no bound: beyond the limit they are no places, NaN included.
  @Test func castNumbers() throws {
    let network = try imported("wrapped_from_float").model.compile()
    #expect(try network.predict([0.9, -1.9, 6.5, -7.25]) == rows([0, 6, 6, 0]))
    for wrong: Float in [1e9, -3e9, 2.5e9, 1e38, .infinity, -.infinity, .nan] {
      #expect(throws: PredictionError.self) { try network.predict([0, wrong, 1, 2]) }
    }
  }

  /// Sums and differences of large numbers are exact.
  @Test func sumsAreExact() throws {
    let network = try imported("moved").model.compile()
    #expect(try network.predict([1, 3, 5, 6]) == rows([1, 3, 5, 6]))
    #expect(throws: PredictionError.self) { try network.predict([0, 4_194_305, 1, 2]) }
  }

  /// Numbers that Float32 does not have, or that are read otherwise, are refused.
  @Test(arguments: ["moved_far", "output"])
  func othersAreRefused(_ name: String) {
    let error = #expect(throws: ImportError.self) { try imported(name) }
    #expect(error?.kind == .unsupported)
    #expect(error?.description.contains("Add with arithmetic on") == true)
  }
}
