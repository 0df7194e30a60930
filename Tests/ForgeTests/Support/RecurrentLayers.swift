import Forge

/// The layers of Tests/Fixtures/recurrent.safetensors by the names of their cases.
enum RecurrentLayers {
  /// All of them.
  static let all: [String: any Layer] = keras.merging(torch) { $1 }.merging(onnx) { $1 }

  private static let keras: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "lstm": LSTM(units: 5, name: "layer"),
      "lstm sequence": LSTM(units: 19, returnSequences: true, name: "layer"),
      "lstm of one time": LSTM(units: 32, returnSequences: true, name: "layer"),
      "lstm with state": LSTM(units: 18, returnSequences: true, name: "layer"),
      "lstm without bias": LSTM(
        units: 21, activation: .relu, recurrentActivation: .hardSigmoid, useBias: false,
        name: "layer"),
      "lstm backwards": LSTM(units: 17, isReversed: true, name: "layer"),
      "gru": GRU(units: 5, name: "layer"),
      "gru sequence": GRU(units: 35, returnSequences: true, name: "layer"),
      "gru before": GRU(units: 19, returnSequences: true, resetAfter: false, name: "layer"),
      "gru with state": GRU(units: 16, returnSequences: true, name: "layer"),
      "gru without bias": GRU(
        units: 13, recurrentActivation: .hardSigmoid, useBias: false, name: "layer"),
      "rnn": SimpleRNN(units: 5, name: "layer"),
      "rnn sequence": SimpleRNN(
        units: 33, returnSequences: true, activation: .relu, name: "layer"),
      "rnn with state": SimpleRNN(units: 11, returnSequences: true, name: "layer"),
      "bidirectional last": Bidirectional(GRU(units: 9), name: "layer"),
      "bidirectional with state": Bidirectional(
        LSTM(units: 6, returnSequences: true), name: "layer"),
    ]
    let merges: [(String, Bidirectional.Merge)] = [
      ("concat", .concatenate), ("sum", .sum), ("mul", .multiply), ("ave", .average),
    ]
    for (name, merge) in merges {
      layers["bidirectional \(name)"] = Bidirectional(
        LSTM(units: 17, returnSequences: true), merge: merge, name: "layer")
    }
    return layers.prefixed("keras")
  }()

  private static let torch: [String: any Layer] = [
    "lstm": LSTM(
      units: 19, returnSequences: true, form: .pytorch, name: "layer"),
    "lstm projected": LSTM(
      units: 21, returnSequences: true, projection: 17, form: .pytorch,
      name: "layer"),
    "lstm projected bidirectional": Bidirectional(
      LSTM(
        units: 33, returnSequences: true, projection: 3,
        form: .pytorch), name: "layer"),
    "gru": GRU(units: 19, returnSequences: true, form: .pytorch, name: "layer"),
    "gru bidirectional": Bidirectional(
      GRU(units: 16, returnSequences: true, form: .pytorch), name: "layer"),
    "rnn": SimpleRNN(
      units: 5, returnSequences: true, activation: .relu, form: .pytorch, name: "layer"),
  ].prefixed("torch")

  private static let onnx: [String: any Layer] = [
    "lstm peepholes": LSTM(
      units: 19, returnSequences: true, peepholes: true, form: .onnx,
      name: "layer"),
    "lstm reversed": LSTM(
      units: 7, returnSequences: true, isReversed: true, form: .onnx,
      name: "layer"),
    "gru": GRU(
      units: 17, returnSequences: true, resetAfter: false, form: .onnx,
      name: "layer"),
    "gru after": GRU(units: 17, returnSequences: true, form: .onnx, name: "layer"),
    "gru reversed": GRU(
      units: 5, returnSequences: true, resetAfter: false, isReversed: true,
      form: .onnx, name: "layer"),
    "rnn reversed": SimpleRNN(
      units: 18, returnSequences: true, isReversed: true, form: .onnx, name: "layer"),
  ].prefixed("onnx")
}

extension [String: any Layer] {
  /// The same layers with a word before their names.
  fileprivate func prefixed(_ word: String) -> [String: any Layer] {
    Dictionary(map { ("\(word) \($0)", $1) }) { first, _ in first }
  }
}
