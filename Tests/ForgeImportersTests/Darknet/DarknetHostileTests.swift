import Forge
import ForgeImporters
import Foundation
import Testing

/// Damaged and contradictory files give a model or a typed error, and never trap.
@Suite struct DarknetHostileTests {
  /// The kind and the text of the error of a configuration; `nil` if it gives a model.
  private func problem(
    _ text: String, weights: [UInt8]? = nil, limits: ImportLimits = ImportLimits()
  ) -> ImportError? {
    do throws(ImportError) {
      _ = try ImportedDarknet(text: text, weights: weights, path: "net.cfg", limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private static let head = "[net]\nwidth=8\nheight=6\nchannels=3\n"

  @Test func everyTruncationAndChangeOfAConfiguration() throws {
    let bytes = try ImporterFixtures.bytes("Darknet/detector.cfg")
    var models = 0
    for count in bytes.indices {
      models += problem(String(decoding: bytes[..<count], as: UTF8.self)) == nil ? 1 : 0
    }
    for index in bytes.indices {
      for change: UInt8 in [1, 0x10, 0x80, 0x0a] {
        var changed = bytes
        changed[index] ^= change
        models += problem(String(decoding: changed, as: UTF8.self)) == nil ? 1 : 0
      }
    }
    #expect(models > 100)
  }

  @Test func everyTruncationAndChangeOfWeights() throws {
    let text = try String(
      contentsOfFile: ImporterFixtures.path("Darknet/classifier.cfg"), encoding: .utf8)
    let bytes = try ImporterFixtures.bytes("Darknet/classifier.weights")
    for count in bytes.indices {
      #expect(problem(text, weights: Array(bytes[..<count])) != nil)
    }
    #expect(problem(text, weights: bytes) == nil)
    #expect(problem(text, weights: bytes + [0])?.kind == .parameter)
    for index in bytes.indices {
      for change: UInt8 in [1, 0x10, 0x80, 0xff] {
        var changed = bytes
        changed[index] ^= change
        _ = problem(text, weights: changed)
      }
    }
  }

  @Test func sizesOfWeights() throws {
    let bytes = try ImporterFixtures.bytes("Darknet/classifier.weights")
    let text = try String(
      contentsOfFile: ImporterFixtures.path("Darknet/classifier.cfg"), encoding: .utf8)
    #expect(
      problem(text, weights: Array(bytes.dropLast()))?.description == """
        net.cfg: the weights file is shorter than the network needs
          received  4059 bytes
          needs     4060 bytes: 16 of the header and 1011 values
          remedy    check that the weights belong to this configuration
        """)
    #expect(
      problem(text, weights: [1, 2, 3])?.description == """
        net.cfg: this is not a Darknet weights file
          received  3 bytes
          needs     at least 16 bytes
        """)
    // A negative version.
    #expect(problem(text, weights: Array(repeating: 255, count: 4060))?.kind == .malformed)
  }

  @Test func everythingUnsupportedIsListed() {
    let text =
      Self.head + """
        [convolutional]
        activation=stair
        xnor=1
        [lstm]
        [convolutional]
        activation=stair
        [upsample]
        stride=-2
        """
    #expect(
      problem(text)?.description == """
        net.cfg: the model uses features that Forge does not support
          received  [convolutional] with xnor: 1 node ("convolutional0")
                    [convolutional] with activation "stair": 2 nodes ("convolutional0", "convolutional2")
                    [lstm]: 1 node ("lstm1")
                    [upsample] with a negative stride: 1 node ("upsample3")
        """)
  }

  private static let contradictory: [(String, ImportErrorKind)] = [
    ("", ImportErrorKind.malformed), ("[net]", .malformed), ("[net]\nwidth", .malformed),
    ("width=3", .malformed), ("[convolutional]", .malformed), ("[net]\n[", .malformed),
    ("[net]\nwidth=8\nheight=x\nchannels=3\n[maxpool]", .malformed),
    ("[net]\nwidth=8\nheight=-6\nchannels=3\n[maxpool]", .invalidNode),
    ("[net]\nwidth=99999999999\nheight=99999999999\nchannels=3\n[maxpool]", .invalidNode),
    (head + "[convolutional]\nfilters=0", .invalidNode),
    (head + "[convolutional]\nfilters=9223372036854775807", .invalidNode),
    (head + "[convolutional]\nfilters=9223372036854775808", .malformed),
    (head + "[convolutional]\nsize=1048576\nfilters=1048576", .invalidNode),
    (head + "[convolutional]\npadding=9223372036854775807\ndilation=3", .invalidNode),
    (head + "[convolutional]\ngroups=2", .invalidNode),
    (head + "[route]", .invalidNode), (head + "[route]\nlayers=-1", .invalidNode),
    (head + "[route]\nlayers=0", .invalidNode),
    (head + "[maxpool]\n[route]\nlayers=-9223372036854775808", .invalidNode),
    (head + "[maxpool]\n[route]\nlayers=0\ngroups=2", .invalidNode),
    (head + "[maxpool]\n[route]\nlayers=0\ngroup_id=1", .invalidNode),
    (head + "[maxpool]\n[shortcut]", .invalidNode),
    (head + "[maxpool]\nstride=2\n[maxpool]\nstride=2\n[shortcut]\nfrom=0", .unsupported),
    (head + "[maxpool]\npadding=9", .invalidNode),
    (head + "[maxpool]\npadding=-9223372036854775808", .invalidNode),
    (head + "[yolo]\nclasses=80", .invalidNode), (head + "[yolo]\nclasses=-5", .invalidNode),
    (head + "[yolo]\nnum=99999999", .invalidNode), (head + "[yolo]\nmask=1", .invalidNode),
    (head + "[yolo]\nanchors=nan", .malformed), (head + "[yolo]\nanchors=", .invalidNode),
    (head + "[softmax]\ngroups=5", .invalidNode),
    (head + "[softmax]\ntemperature=0", .invalidNode),
    (head + "[reorg]\nstride=2", .unsupported), (head + "[upsample]\nstride=1048577", .invalidNode),
    (head + "[scale_channels]", .invalidNode),
  ]

  @Test(arguments: contradictory)
  func contradictions(text: String, kind: ImportErrorKind) {
    #expect(problem(text)?.kind == kind, "\(text): \(problem(text)?.description ?? "a model")")
  }

  @Test func limitsHold() {
    let text = Self.head + String(repeating: "[maxpool]\n", count: 5)
    #expect(problem(text) == nil)
    #expect(problem(text, limits: ImportLimits(nodes: 4))?.kind == .tooLarge)
  }

  @Test func missingFiles() {
    #expect(throws: ImportError.self) { try Model(darknet: "/nowhere/net.cfg") }
    let cfg = ImporterFixtures.path("Darknet/classifier.cfg")
    do throws(ImportError) {
      _ = try ImportedModel(darknet: cfg, weights: "/nowhere/net.weights")
      Issue.record("a model of no file")
    } catch {
      #expect(error.kind == .fileMissing && error.path == "/nowhere/net.weights")
    }
    do throws(ImportError) {
      _ = try ImportedModel(darknet: cfg, limits: ImportLimits(fileBytes: 10))
      Issue.record("a file beyond the limit")
    } catch {
      #expect(error.kind == .tooLarge)
    }
  }
}
