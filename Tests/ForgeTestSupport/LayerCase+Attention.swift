import Forge

extension LayerCase {
  /// Attention and the layers around it.
  static let attention = [
    LayerCase(
      "ScaledDotProductAttention", summary: "Attention",
      networks: [
        "of itself": { x, c, _ in [x, x, x] --> ScaledDotProductAttention(heads: c) },
        "causal": { x, _, _ in
          [x, x, x] --> ScaledDotProductAttention(scale: 0.5, isCausal: true, cap: 2)
        },
        "of a stream": { x, c, _ in
          let y = x --> Reshape(to: [-1, c])
          return [y, y, y] --> ScaledDotProductAttention(isCausal: true, cacheLength: 4096)
        },
      ]
    ) { a in
      [
        ScaledDotProductAttention(
          heads: a.n, keyValueHeads: a.n, scale: a.x, cap: a.x, mask: .added, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column),
        ScaledDotProductAttention(
          isCausal: true, cacheLength: a.n, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
      ]
    },
    LayerCase(
      "MultiHeadAttention", summary: "MHA",
      networks: [
        "of itself": { x, c, n in
          x --> Reshape(to: [-1, c])
            --> MultiHeadAttention(heads: 3, keyChannels: n, outputs: n)
        },
        "rotary": { x, _, n in
          x
            --> MultiHeadAttention(
              heads: 4, keyChannels: 6, valueChannels: n, keyValueHeads: 2, outputs: n,
              isCausal: true, rotary: .halves(), useBias: false)
        },
        "of a stream": { x, c, n in
          x --> Reshape(to: [-1, c])
            --> MultiHeadAttention(
              heads: 2, keyChannels: 4, outputs: n, isCausal: true, rotary: .neighbors(),
              cacheLength: 4096)
        },
      ]
    ) { a in
      [
        MultiHeadAttention(
          heads: a.n, keyChannels: a.n, valueChannels: a.n, keyValueHeads: a.n, outputs: a.n,
          scale: a.x, rotary: .neighbors(base: a.x, channels: a.n), name: a.name,
          fileID: a.fileID, line: a.line, column: a.column),
        MultiHeadAttention(
          heads: 1, keyChannels: a.n, form: .joined, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
        MultiHeadAttention(
          heads: 1, keyChannels: 2, isCausal: true, rotary: .halves(), cacheLength: a.n,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "RMSNormalization", summary: "RMSNorm",
      networks: [
        "scaled": { x, _, _ in x --> RMSNormalization() },
        "plain": { x, c, _ in x --> Reshape(to: [-1, c]) --> RMSNormalization(scale: false) },
      ]
    ) { a in
      [
        RMSNormalization(
          epsilon: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Embedding",
      networks: [
        "of signs": { x, _, n in
          [x, x - 1] --> Compare(.less) --> Embedding(vocabulary: 2, channels: n)
        }
      ]
    ) { a in
      [
        Embedding(
          vocabulary: a.n, channels: a.n, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "PositionalEncoding", summary: "Positions",
      networks: [
        "sines": { x, c, _ in x --> Reshape(to: [-1, c]) --> PositionalEncoding() },
        "learned": { x, _, _ in x --> PositionalEncoding(.learned(maximumLength: 4096)) },
        "of a stream": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> PositionalEncoding(streamLength: 4096)
            --> PositionalEncoding(.learned(maximumLength: 4096), streamLength: 4095)
        },
      ]
    ) { a in
      [
        PositionalEncoding(
          .sinusoidal(base: a.x), name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        PositionalEncoding(
          streamLength: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        PositionalEncoding(
          .learned(maximumLength: a.n), name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
        PositionalEncoding(
          .rotary(.halves(base: a.x, channels: a.n), heads: a.n), name: a.name, fileID: a.fileID,
          line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "TimeDistributed", summary: "TimeDist",
      networks: [
        "dense": { x, c, n in
          x --> Reshape(to: [-1, c]) --> TimeDistributed(Dense(neurons: n, activation: .relu))
        },
        "rows": { x, _, n in x --> TimeDistributed(LastAxisDense(neurons: n)) },
      ]
    ) { a in
      [
        TimeDistributed(
          Dense(neurons: a.n), name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
  ]
}
