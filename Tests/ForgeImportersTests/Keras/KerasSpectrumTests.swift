import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Spectra of Keras 3 against what Keras predicts for each sample alone;
/// Scripts/references/make_keras_spectra.py made them.
@Suite struct KerasSpectrumTests {
  struct Case: Decodable, Sendable {
    let input: FixtureTensor
    let output: FixtureTensor
  }

  static let cases =
    (try? ImporterFixtures.decode(
      "KerasSpectra/expected.safetensors", as: [String: Case].self)) ?? [:]

  @Test func thereAreCases() { #expect(Self.cases.count == 39) }

  @Test(arguments: cases.keys.sorted())
  func equalsKeras(_ name: String) throws {
    let known = try #require(Self.cases[name])
    let path = ImporterFixtures.path("KerasSpectra/\(name).keras")
    let network = try ImportedModel(keras: path).model.compile(
      options: .init(threads: .exactly(1)))
    try KerasSamples.check(
      network, name, ["x": known.input.values], [(known.output.sizes, known.output.values)])
  }

  /// The error of one layer on 40 samples.
  private func error(_ kind: String, _ config: String, shape: String = "40") -> ImportError? {
    let json = """
      {"class_name": "Functional", "config": {"name": "net", "layers": [
        {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
         "config": {"name": "x", "batch_shape": [null, \(shape)]}},
        {"class_name": "\(kind)", "name": "y", "config": {"name": "y", \(config)},
         "inbound_nodes": [[["x", 0, 0, {}]]]}],
       "input_layers": [["x", 0, 0]], "output_layers": [["y", 0, 0]]}}
      """
    return #expect(throws: ImportError.self) {
      _ = try ImportedModel(kerasDescription: json, generation: 3)
    }
  }

  @Test func mistakesOfMelSpectrograms() {
    for (config, text) in [
      (#""fft_length": 0"#, "fft_length is out of range"),
      (#""fft_length": 1e300"#, "fft_length"),
      (#""fft_length": 9007199254740993"#, "fft_length is out of range"),
      (#""num_mel_bins": -1"#, "num_mel_bins is out of range"),
      (#""sequence_stride": 0"#, "sequence_stride is out of range"),
      (#""fft_length": 8, "sequence_length": 9"#, "sequence_length is above fft_length"),
      (#""min_freq": 900, "max_freq": 800"#, "a frequency or the exponent"),
      (#""sampling_rate": 0"#, "a frequency or the exponent"),
      (#""sampling_rate": NaN"#, "a frequency or the exponent"),
      (#""fft_length": 16, "window": "kaiser""#, #"window "kaiser""#),
      (#""fft_length": 16, "window": [1, 2]"#, "the window has a different length"),
      (#""fft_length": 16, "window": ["a"]"#, "a window with a value that is not a number"),
      (#""fft_length": 80"#, "too short to be mirrored by 40"),
    ] {
      let error = error("MelSpectrogram", config)
      #expect(
        "\(String(describing: error))".contains(text), "\(config): \(String(describing: error))")
    }
    let axes = error("MelSpectrogram", #""fft_length": 16"#, shape: "40, 2")
    #expect(axes?.received?.contains("a sound of 2 axes") == true, "\(String(describing: axes))")
    // Bands of so many frequencies take more memory than the file may.
    let large = error(
      "MelSpectrogram", #""fft_length": 1048576, "num_mel_bins": 1048576"#, shape: "600000")
    #expect(large != nil)
  }

  @Test func mistakesOfTransforms() {
    for (config, text) in [
      (#""mode": "power""#, #"mode "power""#), (#""padding": "causal""#, #"padding "causal""#),
      (#""frame_length": 0"#, "frame_length is out of range"),
      (#""frame_length": 1"#, "frame_step is out of range"),
      (#""frame_length": 8, "frame_step": 9"#, "frame_step is out of range"),
      (#""frame_length": 8, "fft_length": 7"#, "fft_length is out of range"),
      (#""frame_length": 1, "frame_step": 1, "mode": "psd""#, #"mode "psd" of one bin"#),
      (#""frame_length": 8"#, "the file has no real_kernel"),
    ] {
      let error = error("STFTSpectrogram", config, shape: "40, 1")
      #expect(
        "\(String(describing: error))".contains(text), "\(config): \(String(describing: error))")
    }
  }
}
