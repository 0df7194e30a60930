/// The answers of the REST protocol that describe the server and its models.
extension JSONWriter {
  /// The metadata of the server.
  mutating func writeServer() {
    object { writer in
      writer.name("name")
      writer.value(ServerFacts.name)
      writer.name("version")
      writer.value(ServerFacts.version)
      writer.name("extensions")
      writer.array { writer in for name in ServerFacts.extensions { writer.value(name) } }
    }
  }

  /// The metadata of a model.
  mutating func write(metadata model: any ServedVersion, versions: [Int]) {
    object { writer in
      writer.name("name")
      writer.value(model.name)
      writer.name("versions")
      writer.array { writer in for version in versions { writer.value("\(version)") } }
      writer.name("platform")
      writer.value(model.platform)
      writer.name("inputs")
      writer.array { writer in for port in model.inputFacts { writer.write(metadata: port) } }
      writer.name("outputs")
      writer.array { writer in
        for port in model.outputFacts { writer.write(metadata: port) }
        for constant in model.constants {
          writer.writeTensor(constant.name, constant.datatype.rawValue, constant.shape)
        }
      }
    }
  }

  private mutating func write(metadata port: TensorFacts) {
    writeTensor(port.name, port.datatype.rawValue, port.shape)
  }

  private mutating func writeTensor(_ name: String, _ datatype: String, _ shape: [Int]) {
    object { writer in
      writer.name("name")
      writer.value(name)
      writer.name("datatype")
      writer.value(datatype)
      writer.name("shape")
      writer.array { writer in for size in shape { writer.value(size) } }
    }
  }

  /// The configuration of a model, of the fields that clients read.
  mutating func write(configuration model: any ServedVersion) {
    let batch = model.configuredBatch
    object { writer in
      writer.name("name")
      writer.value(model.name)
      writer.name("platform")
      writer.value(model.platform)
      writer.name("backend")
      writer.value("forge")
      writer.name("max_batch_size")
      writer.value(batch)
      for (name, ports) in [("input", model.inputFacts), ("output", model.outputFacts)] {
        writer.name(name)
        writer.array { writer in
          for port in ports {
            writer.object { writer in
              writer.name("name")
              writer.value(port.name)
              writer.name("data_type")
              writer.value(port.datatype.configurationName)
              writer.name("dims")
              writer.array { writer in
                for size in port.shape.dropFirst(batch > 0 ? 1 : 0) { writer.value(size) }
              }
            }
          }
        }
      }
      writer.name("instance_group")
      writer.array { writer in
        writer.object { writer in
          writer.name("name")
          writer.value(model.name)
          writer.name("kind")
          writer.value("KIND_CPU")
          writer.name("count")
          writer.value(model.load.slots)
        }
      }
      if model.isStateful {
        writer.name("sequence_batching")
        writer.object { _ in }
      } else if let batch = model.preferredBatch {
        writer.name("dynamic_batching")
        writer.object { writer in
          writer.name("preferred_batch_size")
          writer.array { $0.value(batch) }
        }
      }
      writer.name("model_transaction_policy")
      writer.object { writer in
        writer.name("decoupled")
        writer.value(false)
      }
    }
  }

  /// The index of the repository.
  mutating func write(index entries: [ModelRepository.IndexEntry]) {
    array { writer in
      for entry in entries {
        writer.object { writer in
          writer.name("name")
          writer.value(entry.name)
          if !entry.version.isEmpty {
            writer.name("version")
            writer.value(entry.version)
          }
          writer.name("state")
          writer.value(entry.state)
          writer.name("reason")
          writer.value(entry.reason)
        }
      }
    }
  }

  /// The statistics of models.
  mutating func write(statistics models: [any ServedVersion]) {
    object { writer in
      writer.name("model_stats")
      writer.array { writer in for model in models { writer.write(statistics: model) } }
    }
  }

  private mutating func write(statistics model: any ServedVersion) {
    let values = model.statistics.current
    object { writer in
      writer.name("name")
      writer.value(model.name)
      writer.name("version")
      writer.value("\(model.version)")
      writer.name("last_inference")
      writer.value(values.last)
      writer.name("inference_count")
      writer.value(values.examples)
      writer.name("execution_count")
      writer.value(values.run.count)
      writer.name("inference_stats")
      writer.object { writer in
        for (name, tally) in values.named { writer.write(name, tally) }
      }
      writer.name("batch_stats")
      writer.array { writer in
        for (size, tally) in values.batches.sorted(by: { $0.key < $1.key }) {
          writer.object { writer in
            writer.name("batch_size")
            writer.value(size)
            writer.write("compute_infer", tally)
          }
        }
      }
      writer.name("memory_usage")
      writer.array { writer in
        writer.object { writer in
          writer.name("type")
          writer.value("CPU")
          writer.name("id")
          writer.value(0)
          writer.name("byte_size")
          writer.value(model.byteCount)
        }
      }
    }
  }

  private mutating func write(_ name: String, _ tally: ModelStatistics.Tally) {
    self.name(name)
    object { writer in
      writer.name("count")
      writer.value(tally.count)
      writer.name("ns")
      writer.value(tally.nanoseconds)
    }
  }
}

extension ModelStatistics.Values {
  /// The tallies with the names of the statistics extension.
  var named: [(String, ModelStatistics.Tally)] {
    [
      ("success", success), ("fail", fail), ("queue", queue), ("compute_input", input),
      ("compute_infer", run), ("compute_output", output),
      ("cache_hit", ModelStatistics.Tally()), ("cache_miss", ModelStatistics.Tally()),
    ]
  }
}
