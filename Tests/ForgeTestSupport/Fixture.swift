import Foundation
import Testing

/// A file of Tests/Fixtures: cases that other frameworks have computed.
///
/// `Scripts/references` holds what makes the files and says what is in them.
public struct Fixture: Decodable, Sendable {
  /// The versions of the frameworks.
  public let versions: [String: String]
  /// The cases.
  public let cases: [FixtureCase]

  /// Reads a fixture by the name of its file.
  ///
  /// - Throws: what reading and decoding throw.
  public static func load(_ name: String) throws -> Fixture {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try FixtureFile.decode(
      Fixture.self, from: folder.appending(path: "Fixtures/\(name).safetensors"))
  }

  /// The case of a name.
  ///
  /// - Throws: ``FixtureError`` when there is none.
  public func testCase(_ name: String) throws -> FixtureCase {
    guard let found = cases.first(where: { $0.name == name }) else {
      throw FixtureError("no case \"\(name)\"")
    }
    return found
  }
}

/// A mistake in a fixture.
public struct FixtureError: Error, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}

/// Layers with inputs, parameters, and the outputs that a framework computed.
public struct FixtureCase: Decodable, Sendable, CustomTestStringConvertible {
  /// The name; its first word is the family.
  public let name: String
  /// The framework and its version.
  public let source: String
  /// The layers in order of computation.
  public let layers: [FixtureLayer]
  /// The inputs, which layers call `input0`, `input1` and so on.
  public let inputs: [FixtureTensor]
  /// The parameters by layer and type, in Forge's layouts.
  public let parameters: [String: [String: FixtureTensor]]
  /// The outputs by the layer that gives them.
  public let outputs: [String: FixtureTensor]

  /// The first word of the name.
  public var family: String { String(name.prefix { $0 != " " }) }
  /// The name.
  public var testDescription: String { name }
}
