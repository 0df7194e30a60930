/// A sound file that cannot be listened to: what was received, and what is needed.
struct WaveError: Error, CustomStringConvertible {
  /// What is wrong.
  enum Kind: String {
    case unreadable = "the file cannot be read"
    case tooLong = "the file is too long"
    case noWave = "this is not a WAV file"
    case noFormat = "the format is not stated"
    case noSamples = "there is no sound"
    case cutOff = "the file is cut off"
    case wrongFormat = "the samples are compressed or of another type"
    case wrongBits = "the samples have another length"
    case wrongChannels = "the sound has a different number of channels"
    case wrongRate = "the sound has another rate"
  }

  /// The file.
  let path: String
  /// What is wrong.
  let kind: Kind
  /// What the file has.
  let received: String
  /// What it needs to have.
  let needs: String

  init(_ path: String, _ kind: Kind, received: String, needs: String) {
    self.path = path
    self.kind = kind
    self.received = received
    self.needs = needs
  }

  var description: String {
    var lines = ["\(path): \(kind.rawValue)", "  received  \(received)", "  needs     \(needs)"]
    switch kind {
    case .wrongFormat, .wrongBits, .wrongChannels, .wrongRate:
      lines.append(
        "  to convert: ffmpeg -i IN -ar \(FrontEnd.rate) -ac 1 -c:a pcm_s16le OUT.wav")
    default: break
    }
    return lines.joined(separator: "\n")
  }
}
