#if Macros
  import ForgeGraph
  import ForgeLoaders
  import ForgeShapes
  import SwiftSyntax

  /// Whether a file of weights has the parameters of a network, by name and shape.
  ///
  /// Only the structure of the file is read, not the values.
  struct WeightsCheck {
    let check: NetworkCheck
    let inference: Inference
    let body: Syntax

    /// The mistakes, each at its layer.
    func findings(_ path: String) -> [Finding] {
      do throws(LoadError) {
        let file = try WeightFile(path)
        var first: [Problem]?
        // A file may be read in several ways; one that fits is enough.
        for reading in file.readings {
          let problems = problems(with: try file.parameters(reading))
          if problems.isEmpty { return [] }
          first = first ?? problems
        }
        return (first ?? []).map(finding)
      } catch {
        return [Finding(severity: .error, node: body, message: error.problem.line)]
      }
    }

    /// What the source lacks, as `compile()` words it.
    private func problems(with source: some ParameterSource) -> [Problem] {
      let owners = inference.nodes.filter { !$0.sharesParameters && !$0.parameters.isEmpty }
      let specs = owners.flatMap(\.parameters)
      let prepared: any ParameterSource
      do { prepared = try source.prepared(for: specs) } catch {
        return [Problem(headline: "the weights do not fit the network", cause: error)]
      }
      var names = MissingNames(source, isRenamed: false, specs: specs)
      var problems: [Problem] = []
      for node in owners {
        if source.goesByName, !node.isNamed {
          problems.append(.unnamedLayer(at: node.place, node.reference))
          continue
        }
        for spec in node.parameters {
          do {
            if let values = try prepared.parameter(for: spec) {
              if let misfit = node.misfit(values, for: spec) { problems.append(misfit) }
            } else {
              let (received, remedy) = names.details(for: spec)
              problems.append(
                .missingParameter(
                  at: node.place, node.reference, spec: spec, received: received, remedy: remedy))
            }
          } catch {
            problems.append(
              .sourceFailed(at: node.place, node.reference, spec: spec, cause: error))
          }
        }
      }
      return problems
    }

    private func finding(_ problem: Problem) -> Finding {
      let node = check.node(at: problem.place)
      var shown = problem
      if node != nil { shown.place = nil }
      return Finding(severity: .error, node: node ?? body, message: shown.line)
    }
  }
#endif
