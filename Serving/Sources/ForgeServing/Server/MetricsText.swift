/// The metrics of a server in the text format of Prometheus.
package struct MetricsText {
  /// The media type.
  static let type = "text/plain; version=0.0.4; charset=utf-8"

  private let models: [(model: any ServedVersion, values: ModelStatistics.Values)]

  package init(_ repository: ModelRepository) {
    models = repository.ready.map { ($0, $0.statistics.current) }
  }

  /// One metric: a value for each version of a model.
  private struct Metric: Sendable {
    let name: String
    let help: String
    var type = "counter"
    let value: @Sendable (any ServedVersion, ModelStatistics.Values) -> Int64
  }

  private static func microseconds(
    _ tally: @escaping @Sendable (ModelStatistics.Values) -> Int64
  ) -> @Sendable (any ServedVersion, ModelStatistics.Values) -> Int64 {
    { _, values in tally(values) / 1000 }
  }

  /// Triton's metrics of a CPU, then Forge's own.
  private static let metrics = [
    Metric(
      name: "nv_inference_request_success", help: "Answered requests",
      value: { Int64($1.success.count) }),
    Metric(
      name: "nv_inference_count", help: "Predicted examples",
      value: { Int64($1.examples) }),
    Metric(
      name: "nv_inference_exec_count", help: "Requests that ran",
      value: { Int64($1.run.count) }),
    Metric(
      name: "nv_inference_pending_request_count", help: "Waiting and running requests",
      type: "gauge", value: { model, _ in Int64(model.statistics.pending) }),
    Metric(
      name: "nv_inference_request_duration_us", help: "Time of answered requests",
      value: microseconds { $0.success.nanoseconds }),
    Metric(
      name: "nv_inference_queue_duration_us", help: "Time of waiting for a slot",
      value: microseconds { $0.queue.nanoseconds }),
    Metric(
      name: "nv_inference_compute_input_duration_us", help: "Time of reading inputs",
      value: microseconds { $0.input.nanoseconds }),
    Metric(
      name: "nv_inference_compute_infer_duration_us", help: "Time of predictions",
      value: microseconds { $0.run.nanoseconds }),
    Metric(
      name: "nv_inference_compute_output_duration_us", help: "Time of writing outputs",
      value: microseconds { $0.output.nanoseconds }),
    Metric(
      name: "forge_model_waiting", help: "Predictions waiting for a slot", type: "gauge",
      value: { model, _ in Int64(model.load.waiting) }),
    Metric(
      name: "forge_model_in_flight", help: "Predictions in slots", type: "gauge",
      value: { model, _ in Int64(model.load.inFlight) }),
    Metric(
      name: "forge_model_slots", help: "Slots of the model", type: "gauge",
      value: { model, _ in Int64(model.load.slots) }),
    Metric(
      name: "forge_model_capacity", help: "Requests that may wait or run", type: "gauge",
      value: { model, _ in Int64(model.capacity) }),
    Metric(
      name: "forge_model_sequences", help: "Open sequences", type: "gauge",
      value: { model, _ in Int64(model.load.sequences) }),
    Metric(
      name: "forge_model_memory_bytes", help: "Packed parameters and plans", type: "gauge",
      value: { model, _ in Int64(model.byteCount) }),
  ]

  /// The text.
  package var text: String {
    var text = ""
    for metric in Self.metrics {
      text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.type)\n"
      for (model, values) in models {
        text += "\(metric.name){\(Self.labels(model))} \(metric.value(model, values))\n"
      }
    }
    appendFailures(to: &text)
    appendHistogram(to: &text)
    return text
  }

  private func appendFailures(to text: inout String) {
    let name = "nv_inference_request_failure"
    text += "# HELP \(name) Failed requests\n# TYPE \(name) counter\n"
    for (model, values) in models {
      for kind in ServingError.Kind.allCases {
        let reason = "reason=\"\(kind.reason)\",cause=\"\(kind.rawValue)\""
        text += "\(name){\(Self.labels(model)),\(reason)} \(values.failures[kind] ?? 0)\n"
      }
    }
  }

  private func appendHistogram(to text: inout String) {
    let name = "forge_request_duration_seconds"
    text += "# HELP \(name) Time of requests that were answered\n# TYPE \(name) histogram\n"
    for (model, values) in models {
      let labels = Self.labels(model)
      var count = 0
      for (place, entries) in values.histogram.dropLast().enumerated() {
        count += entries
        text += "\(name)_bucket{\(labels),le=\"\(Double(1 << place) / 1e6)\"} \(count)\n"
      }
      let total = values.success.count
      text += "\(name)_bucket{\(labels),le=\"+Inf\"} \(total)\n"
      text += "\(name)_sum{\(labels)} \(Double(values.success.nanoseconds) / 1e9)\n"
      text += "\(name)_count{\(labels)} \(total)\n"
    }
  }

  private static func labels(_ model: any ServedVersion) -> String {
    "model=\"\(escaped(model.name))\",version=\"\(model.version)\""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

extension ServingError.Kind {
  /// Triton's reason of a failure.
  var reason: String {
    switch self {
    case .overloaded, .timedOut, .unavailable, .tooLarge: "REJECTED"
    case .cancelled: "CANCELED"
    case .failed: "BACKEND"
    case .invalid, .notFound, .unauthorized, .wrongMethod, .unsupported: "OTHER"
    }
  }
}
