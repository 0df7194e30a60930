import Forge

/// Hears a sound frame by frame, as a sound card would bring it, and times each frame.
struct Recognizer {
  /// A frame of 20 ms.
  struct Frame {
    /// The mean square of the samples.
    let energy: Float
    /// The probability of each word, and of nothing.
    let probabilities: [Float]
    /// The word that counts as heard at this frame.
    let hearing: Listener.Hearing?
    /// The time from the frame's samples to the word.
    let time: Duration
  }

  /// The silence in frames that follows a sound, so that its last word is heard.
  static let silence = 15

  /// A network of one frame, from samples to probabilities.
  let network: CompiledModel

  /// Hears a whole sound; a last frame that is not full is filled with silence.
  func frames(of samples: [Float]) throws -> [Frame] {
    let context = try RealtimeContext(network)
    let size = FrontEnd.frame
    let count = (samples.count + size - 1) / size + Self.silence
    var listener = Listener()
    var probabilities = [Float](repeating: 0, count: KeywordNetwork.classes)
    var input = [Float](repeating: 0, count: size)
    var frames: [Frame] = []
    frames.reserveCapacity(count)
    let clock = ContinuousClock()
    for index in 0..<count {
      for sample in 0..<size {
        let position = index * size + sample
        input[sample] = position < samples.count ? samples[position] : 0
      }
      let start = clock.now
      var output = probabilities.mutableSpan
      try context.predict(input.span, into: &output)
      let hearing = listener.hear(probabilities)
      let time = clock.now - start
      frames.append(
        Frame(
          energy: input.reduce(0) { $0 + $1 * $1 } / Float(size), probabilities: probabilities,
          hearing: hearing, time: time))
    }
    return frames
  }
}
