import Forge
import ForgeImporters
import ForgeTestSupport
import ForgeToolSupport
import Foundation
import Testing

/// A model with inputs and outputs, made after a fault that users of other runtimes reported.
///
/// `Fixtures/Reports/cases.json` says what Forge does with each. The folders beside it are made by
/// `Scripts/references/make_report_cases.py`; `../shared/review` has the originals where it is
/// there.
struct ReportedFault: Decodable, Sendable, CustomTestStringConvertible {
  /// What Forge does with a case.
  enum Expectation: String, Decodable {
    /// The expected arrays, each item bounded by itself.
    case values
    /// The same, but what is not finite may reach other pixels of the picture.
    case picture
    /// The expected arrays of the fixtures, which differ from other runtimes' as documented.
    case documented
    /// Arrays of the right sizes; what they hold is undefined.
    case undefined
    /// The expected arrays or an error that says so.
    case valuesOrError
    /// A refusal that names the operator and what of it is not read.
    case refused
    /// The same; reading it is left to later work.
    case left
    /// An error that says what is wrong with the file.
    case error
    /// The file is read for what it is, whatever its name says.
    case read
    /// Another test has it.
    case elsewhere
  }

  let name: String
  let source: String
  let expectation: Expectation
  /// Parts of the error.
  let sentences: [String]
  /// Whether the first axis counts examples.
  let isBatch: Bool
  /// The largest relative L2 error of a row.
  let bound: Double
  /// Rows of the input that the expected values do not hold for.
  let rowsLeftOut: Set<Int>
  var testDescription: String { name }

  private enum CodingKeys: String, CodingKey {
    case name = "case"
    case source, bound, rowsLeftOut
    case expectation = "expect"
    case sentences = "says"
    case isBatch = "batch"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    source = try values.decode(String.self, forKey: .source)
    expectation = try values.decode(Expectation.self, forKey: .expectation)
    sentences = try values.decodeIfPresent([String].self, forKey: .sentences) ?? []
    isBatch = try values.decodeIfPresent(Bool.self, forKey: .isBatch) ?? false
    bound = try values.decodeIfPresent(Double.self, forKey: .bound) ?? 1e-5
    rowsLeftOut = try values.decodeIfPresent(Set<Int>.self, forKey: .rowsLeftOut) ?? []
  }

  // MARK: Folders

  /// The folder of the fixtures.
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/Reports")

  /// The folder of the originals beside the checkout.
  static let originals = SharedFiles.folder.appending(path: "review")

  /// All rows of the table.
  static let all: [ReportedFault] =
    (try? JSONDecoder().decode(
      [ReportedFault].self, from: Data(contentsOf: fixtures.appending(path: "cases.json")))) ?? []

  /// The names in a folder, without extensions.
  static func names(in folder: URL) -> Set<String> {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let others = ["json", "tsv", "cfg"]
    return Set(
      entries.map { $0 as NSString }.filter { !others.contains($0.pathExtension) }
        .map(\.deletingPathExtension))
  }

  /// The folder of the fixture; `nil` if there is none.
  var fixture: URL? {
    let folder = Self.fixtures.appending(path: name)
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }

  /// The folder of the original; `nil` if it is absent.
  var original: URL? {
    let folder = Self.originals.appending(path: "bugs/\(name)")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }

  // MARK: Running

  /// The arrays of the files of a folder whose names begin so.
  private static func arrays(_ prefix: String, in folder: URL) throws -> [String: StoredTensor] {
    var arrays: [String: StoredTensor] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasPrefix(prefix) && file.hasSuffix(".npy") {
      arrays[String(file.dropFirst(prefix.count).dropLast(4))] = try StoredTensor(
        numPy: folder.appending(path: file).path)
    }
    return arrays
  }

  /// The outputs that Forge computes.
  func results(in folder: URL) throws -> [(name: String, array: StoredTensor)] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let model = try #require(files.first { $0.hasPrefix("model.") })
    let imported = try ModelFile(folder.appending(path: model).path).imported()
    let run = try NetworkRun(imported) {
      try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    }
    var given: [String: NetworkRun.Given] = [:]
    for (name, array) in try Self.arrays("in_", in: folder) {
      // Keras numbers its inputs; there is one.
      let known = imported.inputs.contains { $0.name == name }
      given[known ? name : imported.inputs.first?.name ?? name] = .array(array)
    }
    return try run.arrays(
      of: run.results(run.examples(given, isBatch: isBatch)), isBatch: isBatch)
  }

  /// The expected outputs in the order of the results.
  private func expected(
    _ results: [(name: String, array: StoredTensor)], in folder: URL
  ) throws -> [(name: String, found: StoredTensor, expected: StoredTensor)] {
    let files = try Self.arrays("expected_", in: folder)
    #expect(!files.isEmpty, "no expected arrays")
    return try files.map { name, array in
      let index = results.firstIndex { $0.name == name } ?? Int(name) ?? 0
      let fitting = try #require(results.indices.contains(index) ? results[index] : nil)
      return (name, fitting.array, array)
    }
  }

  /// Compares the outputs of a folder with what the table says.
  func check(in folder: URL) throws {
    switch expectation {
    case .elsewhere: return
    case .values, .picture:
      let results = try results(in: folder)
      for output in try expected(results, in: folder) { compare(output) }
    case .read:
      let results = try results(in: folder)
      #expect(results.allSatisfy { $0.array.count > 0 } && !results.isEmpty)
      guard folder == fixture else { return }
      for output in try expected(results, in: folder) { compare(output) }
    case .documented:
      let results = try results(in: folder)
      for output in try expected(results, in: try #require(fixture)) { compare(output) }
    case .undefined:
      for output in try expected(results(in: folder), in: folder) {
        #expect(output.found.sizes == output.expected.sizes)
      }
    case .valuesOrError:
      let results: [(name: String, array: StoredTensor)]
      do { results = try self.results(in: folder) } catch {
        return expectSentences(in: "\(error)")
      }
      for output in try expected(results, in: folder) { compare(output) }
    case .refused, .left:
      let error = #expect(throws: ImportError.self) { try results(in: folder) }
      #expect(error?.kind == .unsupported)
      expectSentences(in: error?.description ?? "")
    case .error:
      let error = #expect(throws: (any Error).self) { try results(in: folder) }
      expectSentences(in: error.map { "\($0)" } ?? "")
    }
  }

  private func expectSentences(in message: String) {
    #expect(!sentences.isEmpty, "the table has no sentence")
    for sentence in sentences { #expect(message.contains(sentence), "\(message)") }
  }

  // MARK: Comparing

  private func compare(_ output: (name: String, found: StoredTensor, expected: StoredTensor)) {
    let (name, found, expected) = output
    #expect(found.sizes == expected.sizes, "\(name)")
    guard found.sizes == expected.sizes else { return }
    if let whole = expected.int64s {
      #expect(found.int64s == whole, "\(name)")
    } else if expectation == .picture {
      comparePicture(name, found.floats, expected.floats, channels: expected.sizes[1])
    } else {
      compareItems(name, found.floats, expected.floats, width: expected.sizes.last ?? 1)
    }
  }

  /// Every row is bounded by itself, and what is not finite is in the same places.
  private func compareItems(_ name: String, _ found: [Float], _ expected: [Float], width: Int) {
    var differing: [Int] = []
    for start in stride(from: 0, to: expected.count, by: max(width, 1)) {
      let row = start / max(width, 1)
      guard !rowsLeftOut.contains(row) else { continue }
      var (error, size, same) = (0.0, 0.0, true)
      for index in start..<start + width {
        let (value, wanted) = (found[index], expected[index])
        guard wanted.isFinite else {
          same = same && (wanted.isNaN ? value.isNaN : value == wanted)
          continue
        }
        error += pow(Double(value) - Double(wanted), 2)
        size += pow(Double(wanted), 2)
      }
      if !same || !(error.squareRoot() <= bound * size.squareRoot()) { differing.append(row) }
    }
    #expect(differing.isEmpty, "rows of \(name)")
  }

  /// Errors are relative to the picture; a number that is not finite reaches the tiles that read
  /// it (Docs/Accuracy.md), at most 14 × 14 pixels.
  private func comparePicture(
    _ name: String, _ found: [Float], _ expected: [Float], channels: Int
  ) {
    let largest = expected.filter(\.isFinite).map(\.magnitude).max() ?? 0
    let limit = largest.isFinite && largest > 1e20 ? Float.infinity : 1e-5 * max(largest, 1)
    var (reached, wrong) = (0, 0)
    for (value, wanted) in zip(found, expected) {
      if !wanted.isFinite {
        if value.isFinite { wrong += 1 }
      } else if !value.isFinite || (value - wanted).magnitude > 1e-5 * max(wanted.magnitude, 1) {
        if value.isFinite, (value - wanted).magnitude > limit { wrong += 1 }
        reached += 1
      }
    }
    #expect(wrong == 0, "\(name)")
    #expect(reached <= 14 * 14 * channels, "\(name)")
  }
}
