extension Engine {
  /// The stages of the predictions in one slot, on the calling thread.
  func predict(_ tickets: [Ticket<Network>], in lease: consuming SlotLease<Network>) {
    typealias Answer = Ticket<Network>.Answer
    let slot = lease.slot
    let begun = time.now
    // Where each example lies in the slot, or why it does not.
    var places: [Result<Int, any Error>] = []
    var count = 0
    for ticket in tickets {
      do {
        try encode(ticket, into: slot, at: count, now: begun)
        places.append(.success(count))
        count += 1
      } catch {
        places.append(.failure(error))
      }
    }
    let encoded = time.now
    var failure: (any Error)?
    if count > 0 {
      do {
        let stop = lease.stopSignal(deadline: Self.latestDeadline(tickets))
        try stop.check()
        try stages.run(slot, count, stop)
      } catch {
        failure = error
      }
    }
    let ran = time.now
    let outputs = places.map { place -> Result<(Network.Prediction, Network.Kept), any Error> in
      Result {
        let index = try place.get()
        if let failure { throw failure }
        let prediction = try stages.fetch(slot, index)
        return (prediction, try stages.kept(slot, index))
      }
    }
    let fetched = time.now
    lease.end()

    var times: [Tally.Times] = []
    var answers: [Answer] = []
    for (ticket, output) in zip(tickets, outputs) {
      let latency = fetched - ticket.submitted
      let waited = begun - ticket.submitted
      times.append(
        Tally.Times(
          outcome: Tally.Outcome(output), latency: latency, waiting: waited,
          preparing: encoded - begun, running: ran - encoded, readingOut: fetched - ran))
      answers.append(
        output.map { prediction, kept in
          PredictionResult(prediction: prediction, kept: kept, latency: latency, waited: waited)
        })
    }
    for (ending, answer) in zip(end(tickets, times: times), answers) { ending?.answer(answer) }
  }

  private func encode(
    _ ticket: Ticket<Network>, into slot: Network.Slot, at index: Int, now: Nanoseconds
  ) throws {
    if ticket.deadline != .never, now >= ticket.deadline { throw RunnerError.deadlineExceeded }
    // The input's memory is not needed any longer than this.
    guard let input = ticket.input.take() else { throw RunnerError.cancelled }
    try stages.encode(input, slot, index)
  }

  /// The last of the deadlines of those who share a slot.
  private static func latestDeadline(_ tickets: [Ticket<Network>]) -> Nanoseconds {
    tickets.reduce(.min) { max($0, $1.deadline) }
  }
}
