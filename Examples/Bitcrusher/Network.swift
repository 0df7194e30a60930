import Forge

/// A bitcrusher as a network: saturation, a coarser resolution, and a mix of both signals.
///
///     crushed = round(tanh(gain · x) to steps of 2^(1 − bits))
///     output  = x + wet · (crushed − x)
///
/// Gain, resolution and mix are scalar inputs, spread over the samples. The rounding is that of Float
/// itself: a number added to 1.5·2^(24 − bits) keeps no digit below 2^(1 − bits), and subtracting
/// again leaves it rounded to the nearest step.
enum BitcrusherNetwork {
  /// The samples of one example; a frame is a batch of so many.
  static let blockSize = 64
  /// The largest frame.
  static let largestFrame = 1024
  /// The order of the inputs.
  static let signal = 0, gain = 1, resolution = 2, wet = 3

  /// The value of the scalar input `resolution` for a number of bits, sign included.
  static func resolution(bits: Int) -> Float {
    Float(sign: .plus, exponent: 24 - bits, significand: 1.5)
  }

  /// The network compiled for frames of any whole number of blocks.
  static func compiled() throws -> CompiledModel {
    let signal = Input(width: 1, height: 1, channels: blockSize, name: "signal")
    let gain = Input(width: 1, height: 1, channels: 1, name: "gain")
    let resolution = Input(width: 1, height: 1, channels: 1, name: "resolution")
    let wet = Input(width: 1, height: 1, channels: 1, name: "wet")
    let saturated = [signal, gain] --> Multiply() --> Activation(.tanh)
    let crushed = [[saturated, resolution] --> Add(), resolution] --> Subtract()
    let change = [crushed, signal] --> Subtract()
    let output = [signal, [change, wet] --> Multiply()] --> Add()
    return try Model(inputs: [signal, gain, resolution, wet], outputs: [output]).compile(
      options: CompileOptions(maximumBatch: largestFrame / blockSize))
  }
}
