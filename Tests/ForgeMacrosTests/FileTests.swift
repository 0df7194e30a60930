#if Macros
  import ForgeMacros
  import Foundation
  import Testing

  /// Names of the file around a macro, and files of weights beside it.
  @Suite struct FileTests {
    /// The messages of a source that lies in a file.
    private func messages(_ source: String, beside files: [String: Data] = [:]) throws -> [String] {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("forge-macros-\(UInt64.random(in: 0...(.max)))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, data) in files { try data.write(to: folder.appendingPathComponent(name)) }
      let file = folder.appendingPathComponent("Net.swift")
      try Data(source.utf8).write(to: file)
      return Expansion(source, path: file.path).messages.map {
        $0.replacingOccurrences(of: folder.path, with: "FOLDER")
      }
    }

    @Test func declarationsBesideTheNetwork() throws {
      let found = try messages(
        """
        let side = 12
        struct Shrink: Module {
          let factor: Int
          func callAsFunction(_ x: Tensor) -> Tensor { x --> MaxPooling(factor) }
        }
        func twice(_ n: Int) -> Int { n * 2 }
        extension Tensor {
          func narrowed(_ name: String) -> Tensor {
            self --> PointwiseConvolution(channels: (channels ?? 2) / 2, name: name)
          }
        }
        enum Sizes { static let kernel = 5 }
        @Network enum Net {
          static let body =
            (Input(width: side, height: side, channels: 4) --> Shrink(factor: twice(2)))
            .narrowed("point")
            --> Convolution(kernel: Sizes.kernel, channels: 2, padding: .valid, name: "conv")
        }
        """)
      #expect(
        found == [
          "17:9 error: layer 3 \"conv\" (Convolution): the output would be empty; received 3×3×2 "
            + "(width×height×channels) from \"point\"; needs width and height of at least 5 for a "
            + "5×5 kernel with padding .valid",
          "  17:65+6 fix-it: set padding of Convolution to .same: \".same\"",
        ])
    }

    @Test func variablesOfTheEnclosingFunction() throws {
      let found = try messages(
        """
        func make(_ n: Int) -> Model {
          let kernel = 3 + 2
          let later = 1
          return #network {
            Input(width: 4, height: 4, channels: 2)
              --> Convolution(kernel: kernel, channels: n, padding: .valid, name: "conv")
          }
        }
        """)
      #expect(
        found == [
          "6:11 error: layer 1 \"conv\" (Convolution): the output would be empty; received 4×4×2 "
            + "(width×height×channels) from \"input\"; needs width and height of at least 5 for a "
            + "5×5 kernel with padding .valid",
          "  5:5 note: \"input\" (Input) makes 4×4×2 (width×height×channels)",
          "6:49 remark: not known while Swift compiles, so compile() checks what depends on it: "
            + "\"n\" is a parameter",
        ])
    }

    @Test func namesOfTheEnclosingFunctionHideThoseOfTheFile() throws {
      for body in [
        "if let size = optional { return network }",
        "guard let size = optional else { return nil }",
        "for size in sizes { return network }", "let make = { (size: Int) in network }",
        "let make = { [size = run()] in network }", "while let size = next() { return network }",
        "switch value { case .some(let size): return network }", "var size = run()",
        "let size = run()",
      ] {
        let network =
          "#network { Input(width: 8, height: 8, channels: 3) --> MaxPooling(size) }"
        let inner = body.replacing("network", with: network)
        let found = try messages(
          """
          let size = 90
          func make(_ optional: Int?) -> Model? {
            \(inner)
            \(inner.contains("#network") ? "" : "return \(network)")
          }
          """)
        #expect(found.count == 1, "\(body): \(found)")
        #expect(found.allSatisfy { $0.contains("remark") }, "\(body): \(found)")
      }
    }

    @Test func aMistakeOutsideOfTheMacro() throws {
      let found = try messages(
        """
        let block =
          Convolution(kernel: 9, channels: 2, padding: .valid, name: "far") --> ReLU()
        let model = #network { Input(width: 4, height: 4, channels: 1) --> block }
        """)
      #expect(found.count == 2)
      #expect(found[0].hasPrefix("3:14 error: App/Net.swift:2:14: layer 1 \"far\" (Convolution): "))
    }

    @Test func shapesAndSummaries() throws {
      let found = try messages(
        """
        let x = Input(width: 9, height: 7, channels: 1)
        let y = x --> Convolution(kernel: 3, channels: 4, padding: .valid, name: "c")
        let s = #shape(of: y)
        let t = #summary(y --> Flatten())
        """)
      #expect(found.count == 2)
      #expect(found[0] == "3:20 note: 7×5×4 (width×height×channels)")
      #expect(found[1].hasPrefix("4:18 note: the network\nLayer "))
      #expect(found[1].hasSuffix("Number of layers: 2\nTotal parameters: 40"))
    }

    // MARK: Weights

    private static let source = """
      @Network(weights: "net.safetensors") enum Net {
        static let body =
          Input(width: 4, height: 4, channels: 2)
          --> Convolution(kernel: 3, channels: 3, name: "conv")
          --> Dense(neurons: 2, name: "fc")
      }
      """

    private func weights(kernel: [Int], dense: String) throws -> Data {
      func values(_ count: Int) -> [Float] { (0..<count).map { Float($0) / 10 } }
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("forge-weights-\(UInt64.random(in: 0...(.max))).safetensors")
      defer { try? FileManager.default.removeItem(at: file) }
      let arrays: [(String, [Int])] = [
        ("conv.weight", kernel), ("conv.bias", [3]), ("\(dense).weight", [2, 48]),
        ("\(dense).bias", [2]),
      ]
      var header = "{"
      var data = Data()
      for (name, sizes) in arrays {
        let count = sizes.reduce(1, *)
        header += header.count > 1 ? "," : ""
        header += "\"\(name)\":{\"dtype\":\"F32\",\"shape\":\(sizes),"
        header += "\"data_offsets\":[\(data.count),\(data.count + 4 * count)]}"
        values(count).withUnsafeBytes { data.append(contentsOf: $0) }
      }
      header += "}"
      var bytes = Data()
      withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      return bytes + Data(header.utf8) + data
    }

    @Test func weightsThatFit() throws {
      let file = try weights(kernel: [3, 2, 3, 3], dense: "fc")
      #expect(try messages(Self.source, beside: ["net.safetensors": file]).isEmpty)
    }

    @Test func weightsThatDoNotFit() throws {
      let file = try weights(kernel: [3, 2, 5, 5], dense: "fc1")
      let found = try messages(Self.source, beside: ["net.safetensors": file])
      #expect(
        found == [
          "4:9 error: layer 1 \"conv\" (Convolution): the weights could not be loaded; cause "
            + "FOLDER/net.safetensors: conv.weight: the weights of \"conv\" have the wrong shape, "
            + "received 3×2×5×5, needs 3×2×3×3 [O][I][H][W]",
          "5:9 error: layer 2 \"fc\" (Dense): the weights are missing; needs 96 values, 2×4×4×3 "
            + "[O][H][W][I]; remedy did you mean \"fc1\"?",
          "5:9 error: layer 2 \"fc\" (Dense): the biases are missing; needs 2 values, 2 [O]; remedy "
            + "did you mean \"fc1\"?",
        ])
    }

    @Test(arguments: [Data(), Data([1, 2, 3]), Data(repeating: 255, count: 100)])
    func weightsThatAreNone(_ data: Data) throws {
      let found = try messages(Self.source, beside: ["net.safetensors": data])
      #expect(found.count == 1)
      #expect(found[0].hasPrefix("2:14 error: FOLDER/net.safetensors: "))
    }

    @Test func noFileOfWeights() throws {
      let found = try messages(Self.source)
      #expect(found.count == 1)
      #expect(found[0].hasPrefix("2:14 error: FOLDER/net.safetensors: "))
    }
  }
#endif
