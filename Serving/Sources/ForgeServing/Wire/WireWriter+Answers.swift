/// The messages of `inference.GRPCInferenceService` that the server sends.
extension WireWriter {
  /// `ModelInferResponse`.
  mutating func write(_ response: InferenceResponse) {
    text(1, response.modelName)
    text(2, response.modelVersion)
    text(3, response.id)
    for output in response.outputs {
      message(5) { writer in
        writer.text(1, output.name)
        writer.text(2, output.datatype.rawValue)
        writer.integers(3, output.shape)
      }
    }
    for output in response.outputs { field(6, output.content) }
  }

  /// `ServerMetadataResponse`.
  mutating func writeServer() {
    text(1, ServerFacts.name)
    text(2, ServerFacts.version)
    for name in ServerFacts.extensions { text(3, name) }
  }

  /// `ModelMetadataResponse`.
  mutating func write(metadata model: any ServedVersion, versions: [Int]) {
    text(1, model.name)
    for version in versions { text(2, "\(version)") }
    text(3, model.platform)
    for (number, ports) in [(4, model.inputFacts), (5, model.outputFacts)] {
      for port in ports { writeTensor(number, port.name, port.datatype, port.shape) }
    }
    for constant in model.constants {
      writeTensor(5, constant.name, constant.datatype, constant.shape)
    }
  }

  private mutating func writeTensor(
    _ number: Int, _ name: String, _ datatype: Datatype, _ shape: [Int]
  ) {
    message(number) { writer in
      writer.text(1, name)
      writer.text(2, datatype.rawValue)
      writer.integers(3, shape)
    }
  }

  /// `ModelConfigResponse`, whose only field is a `ModelConfig`.
  mutating func write(configuration model: any ServedVersion) {
    let batch = model.configuredBatch
    message(1) { writer in
      writer.text(1, model.name)
      writer.text(2, model.platform)
      writer.integer(4, batch)
      for (number, ports) in [(5, model.inputFacts), (6, model.outputFacts)] {
        for port in ports {
          writer.message(number) { writer in
            writer.text(1, port.name)
            writer.integer(2, port.datatype.configurationNumber)
            // The dims of an input are its fourth field, those of an output its third.
            writer.integers(
              number == 5 ? 4 : 3, Array(port.shape.dropFirst(batch > 0 ? 1 : 0)))
          }
        }
      }
      writer.message(7) { writer in
        writer.text(1, model.name)
        writer.integer(2, model.load.slots)
        // KIND_CPU.
        writer.integer(4, UInt64(2))
      }
      if model.isStateful {
        writer.message(13) { _ in }
      } else if let batch = model.preferredBatch {
        writer.message(11) { $0.integers(1, [batch]) }
      }
      writer.text(17, "forge")
      writer.message(19) { _ in }
    }
  }

  /// `ModelStatisticsResponse`.
  mutating func write(statistics models: [any ServedVersion]) {
    for model in models {
      let values = model.statistics.current
      message(1) { writer in
        writer.text(1, model.name)
        writer.text(2, "\(model.version)")
        writer.integer(3, Int(values.last))
        writer.integer(4, values.examples)
        writer.integer(5, values.run.count)
        writer.message(6) { writer in
          for (index, named) in values.named.enumerated() { writer.write(index + 1, named.1) }
        }
        for (size, tally) in values.batches.sorted(by: { $0.key < $1.key }) {
          writer.message(7) { writer in
            writer.integer(1, size)
            writer.write(3, tally)
          }
        }
        writer.message(8) { writer in
          writer.text(1, "CPU")
          writer.integer(3, model.byteCount)
        }
      }
    }
  }

  /// `StatisticDuration`.
  private mutating func write(_ number: Int, _ tally: ModelStatistics.Tally) {
    message(number) { writer in
      writer.integer(1, tally.count)
      writer.integer(2, Int(tally.nanoseconds))
    }
  }

  /// `RepositoryIndexResponse`.
  mutating func write(index entries: [ModelRepository.IndexEntry]) {
    for entry in entries {
      message(1) { writer in
        writer.text(1, entry.name)
        writer.text(2, entry.version)
        writer.text(3, entry.state)
        writer.text(4, entry.reason)
      }
    }
  }
}
