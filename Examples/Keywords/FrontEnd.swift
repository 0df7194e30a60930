import Forge
import Foundation

/// The energy in 40 bands of frequency every 20 ms, as layers.
///
/// One step of the input is a frame of 320 samples. Fourier's transform of the last two frames under
/// Hann's window is a pair of convolutions with a kernel of two steps: their weights are cosines and
/// sines, and the step before is their state. A band's value is log(1 + energy / 10⁻⁶), where a sine
/// of full scale has the energy 1. Silence is 0, and so is the state before the first frame.
enum FrontEnd {
  /// Samples per second.
  static let rate = 16_000
  /// Samples per frame.
  static let frame = 320
  /// The number of bands.
  static let bands = 40
  /// The samples of the window.
  private static let window = 2 * frame
  /// The energy that counts as silence.
  private static let floor = 1e-6
  /// The frequencies that belong to a band, in units of 25 Hz.
  private static let frequencies = 3..<304

  /// The bands of each frame of samples [frames][320], [frames][40].
  static func features(of samples: Tensor) -> Tensor {
    let real = samples --> transform("cosines")
    let imaginary = samples --> transform("sines")
    return real * real + imaginary * imaginary
      --> LastAxisDense(neurons: bands, name: "bands") --> Unary(.logarithm, name: "features")
  }

  private static func transform(_ name: String) -> Convolution1D {
    Convolution1D(
      kernel: 2, channels: frequencies.count, padding: .streaming, useBias: false, name: name)
  }

  /// The weights, which are formulas and are trained by nobody.
  static var parameters: ParameterDictionary {
    ParameterDictionary([
      "cosines": [.weights: waves(cos)], "sines": [.weights: waves(sin)],
      "bands": [.weights: triangles(), .biases: [Float](repeating: 1, count: bands)],
    ])
  }

  /// A wave of each frequency under Hann's window: [frequencies][two steps][320].
  private static func waves(_ wave: (Double) -> Double) -> [Float] {
    frequencies.flatMap { frequency in
      (0..<window).map { sample in
        let turn = 2 * Double.pi / Double(window)
        let hann = 0.5 - 0.5 * cos(turn * Double(sample))
        // The window's sum is half its length; half of that is what a sine of full scale gives.
        return Float(
          hann * wave(turn * Double(frequency * sample % window)) / (Double(window) / 4))
      }
    }
  }

  /// How much of each frequency belongs to each band: triangles that are even on the mel scale,
  /// [bands][frequencies].
  private static func triangles() -> [Float] {
    func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }
    let (low, high) = (mel(60), mel(7600))
    let edges = (0..<bands + 2).map { edge in
      let mel = low + (high - low) * Double(edge) / Double(bands + 1)
      return 700 * (pow(10, mel / 2595) - 1)
    }
    return (0..<bands).flatMap { band in
      frequencies.map { frequency in
        let hertz = Double(frequency * rate) / Double(window)
        let rise = (hertz - edges[band]) / (edges[band + 1] - edges[band])
        let fall = (edges[band + 2] - hertz) / (edges[band + 2] - edges[band + 1])
        return Float(max(0, min(rise, fall)) / floor)
      }
    }
  }
}
