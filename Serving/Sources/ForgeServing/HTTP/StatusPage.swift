/// The page at `/`: models, how they run, and how long requests take.
package struct StatusPage {
  private let models: [any ServedVersion]

  package init(_ repository: ModelRepository) { models = repository.ready }

  /// The page, which asks for nothing else: no script, no style sheet, no picture.
  package var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">
    <meta name="viewport" content="width=device-width"><title>forge-serve</title>
    <style>
    body { font: 15px system-ui, sans-serif; margin: 2rem; max-width: 60rem; }
    table { border-collapse: collapse; margin: 1rem 0; }
    th, td { border-bottom: 1px solid #ccc; padding: .3rem .8rem; text-align: left; }
    td.n { text-align: right; font-variant-numeric: tabular-nums; }
    </style></head><body><h1>forge-serve</h1>
    \(models.isEmpty ? "<p>No model is ready.</p>" : "")
    \(models.map(section).joined(separator: "\n"))
    </body></html>

    """
  }

  private func section(_ model: any ServedVersion) -> String {
    let values = model.statistics.current
    let ports =
      model.inputFacts.map { row("input", $0) } + model.outputFacts.map { row("output", $0) }
    let rows = values.histogram.enumerated().filter { $0.element > 0 }.map { place, count in
      let limit = Duration.microseconds(1 << place).short
      return "<tr><td>up to \(limit)</td><td class=\"n\">\(count)</td></tr>"
    }
    let failures = values.fail.count
    return """
      <h2>\(escaped(model.name)), version \(model.version)</h2>
      <p>\(escaped(model.plan)). Parameters: \(model.byteCount / 1024) KiB.</p>
      <table><tr><th></th><th>name</th><th>type</th><th>shape</th></tr>\(ports.joined())</table>
      <p>\(values.success.count) requests answered, \(failures) failed,
      \(model.statistics.pending) in progress.</p>
      \(rows.isEmpty ? "" : table(rows))
      """
  }

  private func row(_ kind: String, _ port: TensorFacts) -> String {
    "<tr><td>\(kind)</td><td>\(escaped(port.name))</td><td>\(port.datatype.rawValue)</td>"
      + "<td>\(port.shape.map(String.init).joined(separator: " × "))</td></tr>"
  }

  private func table(_ rows: [String]) -> String {
    "<table><tr><th>time</th><th>requests</th></tr>\(rows.joined())</table>"
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
