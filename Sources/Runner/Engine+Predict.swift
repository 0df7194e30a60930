extension Engine {
  /// Runs the stages of the predictions in one slot, on the calling thread.
  func predict(_ tickets: [Ticket], in slot: InflightSlot) {
    let begun = time.now()
    var count = 0
    var deadline = Nanoseconds.min
    for ticket in tickets {
      ticket.place = count
      deadline = max(deadline, ticket.deadline)
      do {
        if ticket.deadline != .never, begun >= ticket.deadline {
          throw RunnerError.deadlineExceeded
        }
        try ticket.encode(into: slot)
        count += 1
      } catch {
        ticket.failure = error
      }
    }
    let encoded = time.now()
    if count > 0 {
      do {
        // The network checks the signal even if nobody waits anymore: it has to drop its inputs.
        try run(slot, count, StopSignal(raised: slot.raised, deadline: deadline, time: time))
      } catch {
        for ticket in tickets where ticket.failure == nil { ticket.failure = error }
      }
    }
    let ran = time.now()
    for ticket in tickets where ticket.failure == nil {
      do { try ticket.fetch(from: slot) } catch { ticket.failure = error }
    }
    let moments = StageMoments(begun: begun, encoded: encoded, ran: ran, fetched: time.now())
    // The slot is freed before any caller receives a result.
    end(tickets, in: slot, at: moments)
    for ticket in tickets where ticket.isWorkersToAnswer {
      ticket.answer(
        ticket.failure, latency: moments.fetched - ticket.submitted,
        waited: begun - ticket.submitted)
    }
  }
}
