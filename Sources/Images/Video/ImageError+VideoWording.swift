import Forge

/// The error messages about videos; tests compare them.
extension ImageError {
  static func notVideo(_ word: String) -> ImageError {
    ImageError(
      .unknownFormat, "this is not a Y4M video",
      received: "a file that begins with \"\(word.prefix(20).printable)\"",
      needs: "\(VideoHeader.magic), as ffmpeg writes into files that end in .y4m")
  }

  static func emptyVideo() -> ImageError {
    ImageError(.truncated, "the video is empty", needs: "the header of a Y4M file")
  }

  static func cutOffVideo(_ place: String) -> ImageError {
    ImageError(.truncated, "the video is cut off", received: "an end \(place)")
  }

  static func interlaced(_ mode: String) -> ImageError {
    ImageError(
      .unsupported, "the frames of the video are interlaced",
      received: "I\(mode.prefix(20).printable)", needs: "whole frames (Ip)",
      remedy: "deinterlace it first, such as by ffmpeg -vf yadif")
  }

  static func colorSpace(_ name: String) -> ImageError {
    ImageError(
      .unsupported, "the colors of the video are not supported",
      received: "C\(name.prefix(20).printable)",
      needs: "8 bits with C420, C420jpeg, C420mpeg2, C420paldv or Cmono",
      remedy: "convert it first, such as by ffmpeg -pix_fmt yuv420p")
  }

  static func badRate(_ rate: Double) -> ImageError {
    ImageError(
      .invalidArgument, "the number of frames per second is out of range", received: "\(rate)",
      needs: "a finite number above 0")
  }
}
