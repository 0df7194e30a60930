#if Zip
  import Foundation
  import ForgeShapes
  import Testing

  import ForgeLoaders

  @Suite struct ZipArchiveTests {
    @Test(arguments: [
      ("bzip2.npz", LoadError.Kind.unsupported), ("encrypted.npz", .unsupported),
      ("duplicate.npz", .duplicate), ("overlapping.npz", .damaged), ("f4.npy", .damaged),
      ("types.safetensors", .damaged), ("none.npz", .fileMissing),
    ]) func rejectsInvalidArchives(_ file: String, _ kind: LoadError.Kind) {
      let error = #expect(throws: LoadError.self) {
        _ = try NumPyArray(path: Archives.folder + file, entry: "a")
      }
      #expect(error?.kind == kind)
    }

    @Test func errorsAreDescriptive() throws {
      func text(_ file: String) -> String {
        message { _ = try NumPyArray(path: Archives.folder + file, entry: "a") }
      }
      #expect(
        text("bzip2.npz") == """
          bzip2.npz: a.npy: this form of file is not supported
            received  compression method 12
            needs     entries that are stored or deflated
          """)
      #expect(
        text("encrypted.npz") == """
          encrypted.npz: a.npy: this form of file is not supported
            received  an encrypted entry
            needs     entries that are stored or deflated
          """)
      #expect(
        text("overlapping.npz") == """
          overlapping.npz: b.npy: the file is damaged
            received  its bytes are another entry's, too, at byte 35
          """)
      #expect(
        text("f4.npy") == """
          f4.npy: this is a NumPy array
            needs     a NumPy archive
            remedy    NumPyArray(path: "f4.npy")
          """)
      let folder = try ScratchFolder()
      let stored = try Archives.bytes("escaping.npz")
      let cut = try folder.write("cut.npz", Array(stored.dropLast(30)))
      #expect(
        message(in: folder.path) { _ = try WeightFile(cut) } == """
          cut.npz: the file is damaged
            received  the directory at its end is missing
          """)
      var altered = stored
      altered[30 + 27 + 130] ^= 1
      let path = try folder.write("altered.npz", altered)
      let array = try NumPyArray(path: path, entry: "../../etc/passwd")
      #expect(
        message(in: folder.path) { _ = try array.values } == """
          altered.npz: ../../etc/passwd.npy: the file is damaged
            received  the bytes do not have the checksum the archive has for them
          """)
    }

    @Test func skipsNonArrayEntries() throws {
      for file in ["zip64.npz", "streamed.npz"] {
        let listing = try WeightFile(Archives.folder + file)
        #expect(listing.format == .numPyArchive)
        #expect(
          listing.entries.map(\.description) == [
            "a.npy  3  f32  12 bytes", "folder/b.npy  2×2  f32  16 bytes",
            "readme.txt  this is not a NumPy array",
          ])
      }
    }

    /// Two thousand bytes inflate to two million: memory is bounded by the shape in the model.
    @Test func inflationIsBoundedByShape() throws {
      let file = Archives.folder + "zeros.npz"
      #expect(try NumPyArray(path: file, entry: "a").values.count == 500_000)
      let source = try NumPyParameters(file, layout: .forge) { _ in "a" }
      #expect(throws: LoadError.self) {
        try source.parameter(for: ParameterSpec(layer: "x", .biases, [.outputs: 4]))
      }
    }

    /// Sizes that no entry can have are rejected before memory is allocated.
    @Test func checksDeclaredSizes() throws {
      let folder = try ScratchFolder()
      var bytes = try Archives.bytes("zeros.npz")
      let directory = try #require(
        (0..<(bytes.count - 4)).last { Array(bytes[$0..<($0 + 4)]) == [0x50, 0x4b, 1, 2] })
      bytes.replaceSubrange((directory + 24)..<(directory + 28), with: [0xfe, 0xff, 0xff, 0xff])
      let path = try folder.write("bomb.npz", bytes)
      #expect(
        message(in: folder.path) { _ = try NumPyArray(path: path, entry: "a") } == """
          bomb.npz: a.npy: the file is damaged
            received  2035 bytes cannot hold 4294967294, at byte 0
          """)
      // A larger size than there is, but a possible one: the stream ends too early.
      bytes.replaceSubrange((directory + 24)..<(directory + 28), with: [0x90, 0x84, 0x1e, 0])
      let longer = try folder.write("longer.npz", bytes)
      #expect(throws: LoadError.self) { try NumPyArray(path: longer, entry: "a").values }
    }
  }
#endif
