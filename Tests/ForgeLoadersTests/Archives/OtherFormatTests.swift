import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Files and folders given to a reader of another format.
@Suite struct OtherFormatTests {
  private struct Reader: Sendable {
    let name: String
    /// What the reader reads, as messages name it.
    let needs: String
    let read: @Sendable (String) throws(LoadError) -> Void
  }

  private static let readers: [Reader] = [
    Reader(name: "HDF5Parameters", needs: "an HDF5 file") { path throws(LoadError) in
      _ = try HDF5Parameters(path)
    },
    Reader(name: "SafeTensorsParameters", needs: "a safetensors file") { path throws(LoadError) in
      _ = try SafeTensorsParameters(path)
    },
    Reader(name: "NumPyArray", needs: "a NumPy array") { path throws(LoadError) in
      _ = try NumPyArray(path: path)
    },
    Reader(name: "NumPyParameters", needs: "a NumPy archive") { path throws(LoadError) in
      _ = try NumPyParameters(path)
    },
    Reader(name: "KerasArchive", needs: "a Keras archive") { path throws(LoadError) in
      _ = try KerasArchive(path)
    },
  ]

  private static let files = [
    ("../../Fixtures/keras3.h5", "an HDF5 file", "HDF5Parameters"),
    ("types.safetensors", "a safetensors file", "SafeTensorsParameters"),
    ("f4.npy", "a NumPy array", "NumPyArray"),
    ("stored.npz", "a NumPy archive", "NumPyParameters"),
    ("model.keras", "a Keras archive", "KerasArchive"),
  ]

  @Test func everyReaderNamesTheReaderOfEveryFormat() {
    for reader in Self.readers {
      for (file, name, right) in Self.files where right != reader.name {
        let path = Archives.folder + file
        let error = #expect(throws: LoadError.self) { try reader.read(path) }
        let argument = right == "NumPyArray" ? "path: " : ""
        #expect(
          error?.description == """
            \(path): this is \(name)
              needs     \(reader.needs)
              remedy    \(right)(\(argument)"\(path)")
            """, "\(reader.name) of \(file)")
      }
    }
  }

  @Test func packedFilesOfAnotherFormat() throws {
    let path = Archives.folder + "types.safetensors"
    let weights = ParameterSpec(layer: "a", .weights, [.outputs: 2])
    let error = #expect(throws: LoadError.self) {
      try BlobParameters(path).prepared(for: [weights])
    }
    #expect(error?.kind == .wrongSize)
    #expect(error?.remedy == "this is a safetensors file: SafeTensorsParameters(\"\(path)\")")
  }

  @Test func bytesInMemory() throws {
    let bytes = try Archives.bytes("types.safetensors")
    let error = #expect(throws: LoadError.self) { _ = try HDF5Parameters(bytes: bytes, name: "x") }
    #expect(error?.kind == .notHDF5)
    #expect(
      error?.description == """
        x: this is a safetensors file
          needs     an HDF5 file
          remedy    SafeTensorsParameters(bytes: …)
        """)
  }

  @Test func foldersInPlaceOfFiles() throws {
    let folder = try ScratchFolder()
    for reader in Self.readers where reader.name != "NumPyParameters" {
      let error = #expect(throws: LoadError.self) { try reader.read(folder.path) }
      #expect(error?.remedy == nil)
    }
    for (file, right) in [("a_W.bin", "ParameterDirectory"), ("a.npy", "NumPyParameters")] {
      try folder.write(file, [0, 0, 0, 0])
      for reader in Self.readers where reader.name != "NumPyParameters" {
        let error = #expect(throws: LoadError.self) { try reader.read(folder.path) }
        #expect(error?.kind == .notARegularFile)
        #expect(error?.remedy == "\(right)(\"\(folder.path)\")")
      }
    }
  }

  @Test func filesInPlaceOfFoldersAndRawValues() {
    let path = Archives.folder + "stored.npz"
    let remedy = "this is a NumPy archive: NumPyParameters(\"\(path)\")"
    let directory = #expect(throws: LoadError.self) { _ = try ParameterDirectory(path) }
    #expect(directory?.remedy == remedy)
    let file = #expect(throws: LoadError.self) { _ = try ParameterFile(path: path, count: 3) }
    #expect(file?.kind == .wrongSize)
    #expect(file?.remedy == remedy)
  }
}
