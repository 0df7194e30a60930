import Forge
import ForgeImporters
import Foundation
import Testing

/// The operators of ONNX: each has a case, a name of its own, a family and a line in the documents.
@Suite struct ONNXOperatorTests {
  static let cases = ONNXCase.all(in: "Operators")
  static let all = ONNXOperatorList.families.flatMap(\.self)
  private static let root = ImporterFixtures.folder.appending(path: "../../..").standardized

  @Test func everyFileIsACase() throws {
    let folder = ImporterFixtures.folder.appending(path: "ONNX/Operators").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    let names = files.filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }
    #expect(Self.cases.map(\.name).sorted() == names.sorted())
    #expect(names.count > 90)
  }

  /// Operators that no other fixture has, and operators along an open length, against ONNX Runtime
  /// or the reference of the package onnx; Scripts/references/make_onnx_operators.py made them.
  @Test(arguments: cases)
  func equalsONNXRuntime(_ test: ONNXCase) throws { try test.check(in: "Operators") }

  @Test func everyOperatorHasACase() throws {
    let files = try #require(
      FileManager.default.enumerator(at: ImporterFixtures.folder, includingPropertiesForKeys: nil))
    let refused = Set(Self.cases.filter(\.runs.isEmpty).map(\.name))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "onnx" {
      if refused.contains(file.deletingPathExtension().lastPathComponent) { continue }
      do throws(ImportError) { _ = try ImportedModel(onnx: file.path) } catch {
        // What is refused is compared with nothing; sizes may be left open.
        guard error.kind == .unknownSize else { continue }
      }
      names.formUnion(try ONNXOperatorList.names(in: file.path))
    }
    let missing = Set(Self.all).subtracting(names).sorted()
    #expect(missing == [], "no file in Fixtures that is read has these operators")
  }

  @Test func eachNameIsThereOnce() {
    #expect(Dictionary(grouping: Self.all) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  @Test func everyFamilyIsListed() throws {
    let folder = Self.root.appending(path: "Sources/Importers")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var declared: [String] = []
    var list = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // The list of a type of its own, which has the file's name.
      let type = file.deletingPathExtension().lastPathComponent
      declared += text.matches(of: /static let (\w+): \[ONNXOperator\] =/).map {
        $0.1 == "all" ? "\(type).all" : String($0.1)
      }
      if file.lastPathComponent == "ONNXOperators.swift" {
        list =
          text.firstMatch(of: /static let families: [^=]+= \[([^\]]+)\]/).map {
            String($0.1)
          } ?? ""
      }
    }
    let listed = list.matches(of: /[\w.]+/).map { String($0.0) }
    #expect(listed.sorted() == declared.sorted())
    #expect(ONNXOperatorList.families.count == declared.count)
  }

  @Test func thePageListsTheOperators() throws {
    #expect(try Self.names("operators").sorted() == Self.all.sorted())
  }

  @Test func thePageListsThoseOfFixedLength() throws {
    #expect(
      try Self.names("operators of fixed length").sorted()
        == ONNXOperatorList.ofFixedLength.sorted())
  }

  /// The names between two marks of the page.
  private static func names(_ mark: String) throws -> [String] {
    let page = try String(
      contentsOf: root.appending(path: "Docs/BringYourModel/ONNX.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "<!-- \(mark) -->")
    let list = try #require(parts.count == 3 ? parts[1] : nil)
    return list.matches(of: /`([\w.:]+)`/).map { String($0.1) }
  }
}
