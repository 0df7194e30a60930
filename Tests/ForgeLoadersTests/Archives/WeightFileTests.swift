import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct WeightFileTests {
  @Test func detectsFormatFromBytes() throws {
    let folder = try ScratchFolder()
    func format(_ file: String) throws -> WeightFile.Format {
      // The name says nothing.
      try WeightFile(try folder.write("file", try Archives.bytes(file))).format
    }
    #expect(try format("f4.npy") == .numPy)
    #expect(try format("types.safetensors") == .safeTensors)
    #if Zip
      #expect(try format("stored.npz") == .numPyArchive)
      #expect(try format("model.keras") == .keras)
    #endif
    let path = Archives.folder + "../../Fixtures/keras2_weights.h5"
    let file = try WeightFile(path)
    #expect(file.format == .hdf5)
    #expect(file.entries.count == (try HDF5File(path).entries.count))
    #expect(try file.parameters().availableNames == HDF5Parameters(path).availableNames)
  }

  @Test func listsArrays() throws {
    let one = try WeightFile(Archives.folder + "fortran.npy")
    #expect(
      one.entries.map(\.description) == ["\(Archives.folder)fortran.npy  3×4×5  f32  240 bytes"])
    #expect(
      message { _ = try one.parameters() } == """
        fortran.npy: this form of file is not supported
          received  one array without the name of a layer
          needs     an .npz or a folder
        """)
  }

  #if Zip
    @Test func listsUnreadableEntries() throws {
      let file = try WeightFile(Archives.folder + "other.npz")
      #expect(
        file.entries.map { "\($0.name) \($0.typeName) \($0.byteCount)" } == [
          "swapped.npy >f4 12", "complex.npy <c8 24", "short.npy <i2 6", "text.npy <U2 16",
          "bfloat.npy \(file.entries[4].typeName) 6", "records.npy records 24",
          "objects.npy |O \(file.entries[6].byteCount)", "good.npy f32 8",
        ])
      #expect(file.entries.filter { $0.problem == nil }.map(\.name) == ["good.npy"])
      #expect(file.entries.compactMap(\.problem).allSatisfy { $0.kind == .wrongElementType })
      let stored = try WeightFile(Archives.folder + "stored.npz")
      #expect(
        stored.entries.map { "\($0.name) \($0.sizes) \($0.typeName)" }
          == Archives.expected("stored.npz").map { "\($0.entry).npy \($0.sizes) \($0.type)" })
    }
  #endif

  @Test func listsRawFileFolders() throws {
    let folder = try ScratchFolder()
    try folder.write("a_W.bin", [0, 0, 128, 63])
    try folder.write("readme", [1])
    let file = try WeightFile(folder.path)
    #expect(file.entries.map(\.description) == ["a_W.bin  4  raw  4 bytes"])
    let spec = ParameterSpec(layer: "a", .weights, [.outputs: 1])
    #expect(try file.parameters().floats(for: spec) == [1])
  }

  @Test func errorsAreDescriptive() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("raw.bin", [1, 2, 3])
    #expect(
      message(in: folder.path) { _ = try WeightFile(path) } == """
        raw.bin: this file does not say which parameters it holds
          needs     HDF5 (.h5), .keras, .safetensors, .npy, .npz, or a folder of .npy or .bin
          remedy    BlobParameters and ParameterFile read raw values
        """)
    #expect(
      message(in: folder.path) { _ = try WeightFile(folder.path + "none") }
        == "none: there is no such file")
    let cut = try folder.write("cut", Array(try Archives.bytes("types.safetensors").prefix(20)))
    #expect(
      message(in: folder.path) { _ = try WeightFile(cut) }.hasPrefix(
        "cut: the header is cut off\n  received  12 bytes\n"))
    #expect(message { _ = try WeightFile("a\0") } == "a\\0: the path contains a NUL character")
  }
}
