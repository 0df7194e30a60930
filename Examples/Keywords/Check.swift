import Forge
import Foundation

/// A check that does not hold, or a file of the example that is not as it should be.
struct CheckError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Compares what the example computes with PyTorch and NumPy, and with itself.
struct Check {
  /// The recording.
  let wave: Wave
  /// The weights of the network.
  let weights: String
  /// The bands of the recording, computed in double precision by NumPy.
  let features: NumPyArray
  /// The probabilities of each frame, computed in double precision by PyTorch.
  let probabilities: NumPyArray

  private static let bound: Float = 1e-4

  /// Checks the front end and the network; returns what was found.
  func run() throws -> String {
    let count = wave.samples.count / FrontEnd.frame
    let samples = Array(wave.samples.prefix(count * FrontEnd.frame))
    let single = try compiled(frames: 1)
    let context = try Context(single)
    var streamed = (probabilities: [Float](), features: [Float]())
    for frame in 0..<count {
      let range = frame * FrontEnd.frame..<(frame + 1) * FrontEnd.frame
      let result = try context.predict(["samples": Array(samples[range])])
      streamed.probabilities += try values(of: "probabilities", in: result)
      streamed.features += try values(of: "features", in: result)
    }
    let apart = [
      ("bands", try difference(streamed.features, features)),
      ("probabilities", try difference(streamed.probabilities, probabilities)),
    ]
    for (name, difference) in apart where difference > Self.bound || difference.isNaN {
      throw CheckError("\(name): \(difference) apart from the reference, allowed \(Self.bound)")
    }
    let whole = try compiled(frames: count).predict(["samples": samples])
    guard bits(try values(of: "probabilities", in: whole)) == bits(streamed.probabilities),
      bits(try values(of: "features", in: whole)) == bits(streamed.features)
    else { throw CheckError("all frames at once give other bits than frame by frame") }
    return apart.map { "\($0): at most \($1) apart from the reference" }.joined(separator: "\n")
      + "\n\(count) frames at once: the same bits as frame by frame"
  }

  private func compiled(frames: Int) throws -> CompiledModel {
    try KeywordNetwork.compiled(
      KeywordNetwork.model(frames: frames, showsFeatures: true), weights: weights)
  }

  private func values(of name: String, in result: Predictions) throws -> [Float] {
    guard let values = result[name]?.values else { throw CheckError("no output \(name)") }
    return values
  }

  private func bits(_ values: [Float]) -> [UInt32] { values.map(\.bitPattern) }

  private func difference(_ found: [Float], _ reference: NumPyArray) throws -> Float {
    let expected = try reference.values
    guard found.count == expected.count else {
      throw CheckError(
        "\(reference.origin): received \(expected.count) values, needs \(found.count)")
    }
    return zip(found, expected).map { abs($0 - $1) }.max() ?? 0
  }
}
