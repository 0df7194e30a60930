import Forge

extension LayerCase {
  /// The recurrent layers.
  static let recurrent = [
    LayerCase(
      "LSTM",
      networks: [
        "last": { x, c, n in x --> Reshape(to: [-1, c]) --> LSTM(units: n) },
        "sequence": { x, c, n in
          x --> Reshape(to: [-1, c])
            --> LSTM(
              units: n, returnSequences: true, activation: .hardSigmoid, peepholes: true,
              projection: c, isReversed: true)
        },
        "masked": { x, c, n in
          let sequence = x --> Reshape(to: [-1, c])
          let mask = sequence --> Reduce(.sum, axes: [-1]) --> Compare(.greater, than: [0])
          return [sequence, mask] --> LSTM(units: n, returnSequences: true, masked: true)
        },
      ]
    ) { a in
      [
        LSTM(
          units: a.n, peepholes: true, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
        LSTM(
          units: 2, returnSequences: true, activation: .leakyReLU(slope: a.x), projection: a.n,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "GRU",
      networks: [
        "last": { x, c, n in x --> Reshape(to: [-1, c]) --> GRU(units: n) },
        "sequence reset before": { x, c, n in
          x --> Reshape(to: [-1, c])
            --> GRU(units: n, returnSequences: true, resetAfter: false, form: .pytorch)
        },
      ]
    ) { a in
      [
        GRU(
          units: a.n, recurrentActivation: .leakyReLU(slope: a.x), form: .onnx,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "SimpleRNN",
      networks: [
        "with a state": { x, c, n in
          let state = x --> GlobalAveragePooling() --> Dense(neurons: n)
          return [x --> Reshape(to: [-1, c]), state] --> SimpleRNN(units: n, returnSequences: true)
        }
      ]
    ) { a in
      [
        SimpleRNN(
          units: a.n, activation: .leakyReLU(slope: a.x), name: a.name, fileID: a.fileID,
          line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Bidirectional", summary: "BiRNN",
      networks: [
        "joined": { x, c, n in
          x --> Reshape(to: [-1, c]) --> Bidirectional(GRU(units: n, returnSequences: true))
        },
        "averaged": { x, c, n in
          x --> Reshape(to: [-1, c]) --> Bidirectional(LSTM(units: n), merge: .average)
        },
        "masked": { x, c, n in
          let sequence = x --> Reshape(to: [-1, c])
          let mask = sequence --> Reduce(.sum, axes: [-1]) --> Compare(.greater, than: [0])
          return [sequence, mask]
            --> Bidirectional(GRU(units: n, returnSequences: true, masked: true), merge: .sum)
        },
      ]
    ) { a in
      [
        Bidirectional(
          LSTM(units: a.n, projection: 3), name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
  ]
}
