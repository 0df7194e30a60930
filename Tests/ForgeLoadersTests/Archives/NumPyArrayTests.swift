import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct NumPyArrayTests {
  static let single = Archives.all.filter { $0.file.hasSuffix(".npy") }

  @Test(arguments: single) func valuesMatchPython(_ expected: Archives.Expected) throws {
    let array = try NumPyArray(path: Archives.folder + expected.file)
    #expect(array.sizes == expected.sizes)
    #expect(array.count == expected.values.count)
    #expect(array.elementType.rawValue == expected.type)
    #expect(try array.values == expected.values)
    let data = array.parameter(layout: .pytorch)
    #expect(try data.floats() == expected.values)
    if data.elementType == .float32 { #expect(try data.directFloats() == expected.values) }
    #expect(data.sizes == expected.sizes)
    #expect(data.layout == .pytorch)
    #expect(data.origin == Archives.folder + expected.file)
  }

  @Test(arguments: [[], [0], [5], [2, 3], [1, 2, 3, 4]]) func roundTrips(
    _ sizes: [Int]
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "out.npy"
    let values = (0..<sizes.reduce(1, *)).map { Float($0) / 8 - 1 }
    try NumPyArray(values, sizes: sizes).write(to: path)
    let array = try NumPyArray(path: path)
    #expect(array.sizes == sizes)
    #expect(try array.values == values)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.npy"])
  }

  /// Byte for byte what `numpy.save` gives.
  @Test func writtenBytesMatchNumPy() throws {
    let expected = try #require(Archives.expected("f4.npy").first)
    let folder = try ScratchFolder()
    let path = folder.path + "f4.npy"
    try NumPyArray(expected.values, sizes: expected.sizes).write(to: path)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(try Archives.bytes("f4.npy")))
  }

  /// The new file is written beside the old one while that is read, and then replaces it.
  @Test func writingReplacesSourceFile() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("a.npy", try Archives.bytes("f2.npy"))
    let link = folder.path + "link.npy"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let array = try NumPyArray(path: path)
    let values = try array.values
    try array.write(to: link)
    #expect(
      message(in: folder.path) { _ = try array.values } == """
        a.npy: the file was changed or replaced since it was opened
          remedy    open it again
        """)
    let again = try NumPyArray(path: path)
    #expect(again.elementType == .float32)
    #expect(try again.values == values)
  }

  @Test func unwritablePathsAreErrors() throws {
    let folder = try ScratchFolder()
    let array = try NumPyArray([1], sizes: [1])
    #expect(
      message(in: folder.path) { try array.write(to: folder.path + "none/a.npy") } == """
        none/a.npy: the file cannot be written
          received  there is no such folder
        """)
    #expect(
      message(in: folder.path) { try array.write(to: folder.path + ".") } == """
        .: this is not a regular file
          received  a folder
        """)
    #expect(
      message { try array.write(to: "a\0b") } == "a\\0b: the path contains a NUL character")
    #expect(
      message { try array.write(to: "/dev/null") } == """
        /dev/null: this is not a regular file
          received  a device, pipe or socket
        """)
  }

  @Test func valueCountMustMatchShape() {
    #expect(
      message { _ = try NumPyArray([1, 2, 3], sizes: [2, 2]) } == """
        the sizes need a different number of values
          received  3 values
          needs     4 values for 2×2
        """)
    #expect(
      message { _ = try NumPyArray([1], sizes: [-1, -1]) } == """
        the sizes need a different number of values
          received  1 value
          needs     at most 64 sizes of values that can be held, not -1×-1
        """)
    #expect(throws: LoadError.self) {
      try NumPyArray([1], sizes: Array(repeating: 1, count: 65))
    }
    #expect(throws: LoadError.self) { try NumPyArray([], sizes: [Int.max, Int.max]) }
  }

  // MARK: Headers

  /// An array of bytes with a header of one's own.
  private func array(
    _ header: String, version: UInt8 = 1, data: Int = 8, in folder: ScratchFolder? = nil
  ) throws -> NumPyArray {
    let folder = try folder ?? ScratchFolder()
    let text = Array(header.utf8)
    let length = version == 1 ? 2 : 4
    let lengthBytes = (0..<length).map { UInt8(truncatingIfNeeded: text.count >> ($0 * 8)) }
    let head: [UInt8] = [0x93] + Array("NUMPY".utf8) + [version, 0] + lengthBytes + text
    return try NumPyArray(
      path: try folder.write("a.npy", head + [UInt8](repeating: 0, count: data)))
  }

  @Test(arguments: [
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n",
    "{\"shape\":(2L,),\"descr\":\"<f4\",\"fortran_order\":False}",
    "{'descr':'<f4','fortran_order':True,'shape':(1,2,1)}          ",
    "{'descr':'<f8','fortran_order':False,'shape':()}",
    "  { 'descr' : '|i1' , 'shape' : ( 4 , 2 , ) , 'fortran_order' : False , } \n",
  ]) func readsForeignHeaders(_ header: String) throws {
    let folder = try ScratchFolder()
    #expect(try array(header, in: folder).values.allSatisfy { $0 == 0 })
    #expect(try array(header, version: 2).count == array(header, version: 3).count)
  }

  @Test(arguments: [
    "", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
    "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-2)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} more",
    "{'descr': <f4, 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
    "{'descr': [('x', '<f4', 'fortran_order': False, 'shape': (2,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (" + String(repeating: "1,", count: 65)
      + ")}",
  ]) func rejectsInvalidHeaders(_ header: String) throws {
    let error = #expect(throws: LoadError.self) { try array(header) }
    #expect(error?.kind == .damaged)
  }

  @Test func errorsAreDescriptive() throws {
    func text(_ header: String, version: UInt8 = 1, data: Int = 8) -> String {
      let text = message { _ = try array(header, version: version, data: data) }
      // The scratch folder has a random name.
      return text.replacing(/^.*\/a.npy/, with: "a.npy")
    }
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1)}"
    #expect(
      text(good, data: 9) == """
        a.npy: the values have the wrong size
          received  9 bytes
          needs     8 bytes for 2×1 of f32
        """)
    #expect(
      text(good, version: 4) == """
        a.npy: this form of file is not supported
          received  version 4.0 of NumPy's format
          needs     version 1.0, 2.0 or 3.0
        """)
    #expect(
      text(good.replacing("<f4", with: ">f4")) == """
        a.npy: the values have a type that is not read
          received  >f4
          needs     little-endian f2, f4, f8, i1, i4, i8, u1, bool or bf16
          remedy    convert them to f32 before they are saved
        """)
    #expect(
      text("{'descr': '<f4' 'shape': ()}") == """
        a.npy: the file is damaged
          received  the header is unreadable, at byte 26
        """)
    #expect(
      text(String(repeating: " ", count: 1 << 20 + 1), version: 2)
        .hasPrefix("a.npy: the parameter file is refused\n  received  a header of"))
    #expect(
      message { _ = try NumPyArray(path: Archives.folder + "stored.npz") } == """
        stored.npz: this is a NumPy archive
          needs     a NumPy array
          remedy    NumPyParameters("stored.npz")
        """)
    #expect(
      message { _ = try NumPyArray(path: Archives.folder + "none.npy") }
        == "none.npy: there is no such file")
  }
}
