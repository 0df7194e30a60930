import Forge

/// All error messages of ForgeAudio; tests compare them.
extension AudioError {
  // MARK: Files

  static func notAWave(_ received: String) -> AudioError {
    AudioError(
      .unknownFormat, "this is not a WAV file", received: received,
      needs: "RIFF or RF64, a size, and WAVE",
      remedy: "for samples without a header, state their format: SoundReader(raw:format:)")
  }

  static func emptyFile() -> AudioError {
    AudioError(.truncated, "the file is empty", needs: "a WAV file")
  }

  static func cutOffHeader(_ chunk: String) -> AudioError {
    AudioError(
      .truncated, "the WAV file is cut off", received: "the end of the file",
      needs: "a chunk \"\(chunk)\"")
  }

  static func cutOffSamples(_ count: Int, needs: Int) -> AudioError {
    AudioError(
      .truncated, "the WAV file is cut off", received: "\(bytes(count)) of samples",
      needs: bytes(needs))
  }

  static func damaged(_ received: String, needs: String? = nil) -> AudioError {
    AudioError(.damaged, "the WAV file is damaged", received: received, needs: needs)
  }

  static func unsupported(_ received: String, needs: String? = nil) -> AudioError {
    AudioError(
      .unsupported, "this form of WAV file is not supported", received: received,
      needs: needs)
  }

  static func tooManyChannels(_ count: Int, most: Int) -> AudioError {
    AudioError(
      .tooLarge, "the sound has too many channels", received: counted(count, "channel"),
      needs: "at most \(most)", remedy: "raise maximumChannels of SoundLimits")
  }

  static func tooManySamples(_ count: Int?, most: Int) -> AudioError {
    AudioError(
      .tooLarge, "the sound is too long",
      received: count.map { counted($0, "sample") } ?? "a sound of unknown length",
      needs: "at most \(counted(most, "sample"))",
      remedy: "read it in parts with SoundReader, or raise maximumSamples of SoundLimits")
  }

  static func outOfMemory(byteCount: Int) -> AudioError {
    AudioError(.outOfMemory, "there is not enough memory", needs: bytes(byteCount))
  }

  // MARK: Arguments

  static func badFormat(_ name: String, _ value: Int, needs: String) -> AudioError {
    AudioError(
      .invalidArgument, "the \(name) of the sound is out of range", received: "\(value)",
      needs: needs)
  }

  static func badArgument(_ name: String, _ value: some Any, needs: String) -> AudioError {
    AudioError(
      .invalidArgument, "\(name) is out of range", received: "\(value)", needs: needs)
  }

  static func unevenSamples(_ count: Int, channels: Int) -> AudioError {
    AudioError(
      .wrongCount, "the samples do not fill the last frame", received: counted(count, "sample"),
      needs: "a multiple of \(counted(channels, "channel"))")
  }

  static func wrongValueCount(_ count: Int, needs: String) -> AudioError {
    AudioError(
      .wrongCount, "the number of values is wrong", received: counted(count, "value"),
      needs: needs)
  }

  static func tooShortToMirror(_ count: Int, needs: Int) -> AudioError {
    AudioError(
      .wrongCount, "the sound is too short to be mirrored at its ends",
      received: counted(count, "sample"), needs: "at least \(counted(needs, "sample"))",
      remedy: "pad with .zeros")
  }

  // MARK: Helpers

  /// Returns the error with the path of its file.
  func named(_ path: String?) -> AudioError {
    var error = self
    error.path = path ?? error.path
    return error
  }
}
