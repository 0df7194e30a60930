import ForgeToolSupport
import Foundation
import Testing

/// Where outputs are written.
@Suite struct OutputFilesTests {
  private func names(_ outputs: [String]) throws -> [String] {
    try OutputFiles(at: "/no/such/folder", for: outputs).files.map { file in
      #expect(file.path.hasPrefix("/no/such/folder/"))
      return String(file.path.dropFirst("/no/such/folder/".count))
    }
  }

  @Test func plainNamesAreKept() throws {
    let files = try OutputFiles(at: "/no/such/folder", for: ["y", "scores:0"])
    #expect(files.files.map(\.path) == ["/no/such/folder/y.npy", "/no/such/folder/scores:0.npy"])
    #expect(files.files.allSatisfy { !$0.isRenamed })
    #expect(files.folder == "/no/such/folder")
  }

  @Test func noNameLeavesTheFolder() throws {
    #expect(
      try names(["../x", "/etc/passwd", "", ".", "..", "a/b", "a\0b"]) == [
        "output_0.npy", "_etc_passwd.npy", "output_2.npy", "output_3.npy", "output_4.npy",
        "a_b.npy", "output_6.npy",
      ])
    #expect(try names([".hidden", "x\0"]) == ["output_0.npy", "x_.npy"])
  }

  @Test func equalNamesBecomeDistinct() throws {
    #expect(
      try names(["output_1", "a/b", "a_b", "output_3", "output_3"]) == [
        "output_1.npy", "a_b.npy", "output_2.npy", "output_3.npy", "output_4.npy",
      ])
    // A name that stands for another one is not a name of a later output.
    #expect(
      try names(["..", "output_0", "output_0"]) == ["output_0.npy", "output_1.npy", "output_2.npy"])
  }

  /// Names longer than a file name may be keep their beginning and are told apart by their number.
  @Test(arguments: ["o", "ö", "名", "👩🏽‍🚀"])
  func longNamesAreShortened(_ character: String) throws {
    let name = String(repeating: character, count: 300)
    let files = try OutputFiles(at: "/no/such/folder", for: [name, "y", name + "x"])
    let names = files.files.map { String($0.path.dropFirst("/no/such/folder/".count)) }
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.utf8.count <= 230 })
    #expect(names[0].hasPrefix(character) && names[0].hasSuffix("_0.npy"))
    #expect(names[2].hasSuffix("_2.npy"))
    #expect(files.files.map(\.isRenamed) == [true, false, true])
    #expect(files.files[0].output == name)
  }

  @Test func aNameOf200BytesIsKept() throws {
    let name = String(repeating: "a", count: 200)
    #expect(try names([name, name + "a"])[0] == name + ".npy")
    #expect(try names([name + "a"])[0] != name + "a.npy")
  }

  /// A path of a picture or a table is not taken for a folder.
  @Test(arguments: ["o.jpg", "results/o.JSON", "y.npz"])
  func pathsOfOtherFilesAreRefused(_ path: String) throws {
    let type = "." + path.split(separator: ".")[1].lowercased()
    let error = #expect(throws: ToolError.self) { try OutputFiles(at: path, for: ["y"]) }
    #expect(error?.kind == .wrongOutput)
    #expect("\(error.map { "\($0)" } ?? "")".contains("a path that ends in \(type)"))
    #expect(try OutputFiles(at: path + "/", for: ["y"]).folder == path + "/")
    #expect(try OutputFiles(at: "results.v2", for: ["y"]).folder == "results.v2")
  }

  @Test func onePathIsForOneOutput() throws {
    let file = try OutputFiles(at: "y.npy", for: ["anything/at all"])
    #expect(file.files.map(\.path) == ["y.npy"])
    #expect(file.folder == nil)
    let error = #expect(throws: ToolError.self) { try OutputFiles(at: "y.npy", for: ["a", "b"]) }
    #expect(
      error?.description == """
        the model has 2 outputs
          received  the file y.npy
          needs     a folder
        """)
  }

  @Test func aFileIsNoFolder() throws {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).txt"
    try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = #expect(throws: ToolError.self) { try OutputFiles(at: path, for: ["y"]) }
    #expect(
      error?.description == """
        \(path) is a file
          needs     a folder, or for the only output a path that ends in .npy
        """)
  }
}
