import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Watches a connection: refuses a body that is too large before it is read, closes a connection
/// whose request or answer takes too long to pass, and ends the request of
/// a client that disconnects.
package final class ClientWatch: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  private let clients: ClientTable
  private let limit: Int
  private let time: TimeAmount
  /// The bytes of the current body so far.
  private var received = 0
  /// The requests that were passed on and whose answers have not ended.
  private var unanswered = 0
  /// A refusal that waits until no more than `place` requests are unanswered.
  private var waiting: (error: ServingError, place: Int)?
  private var isRefused = false
  /// When the request that is arriving began.
  private var requestBegan: NIODeadline?
  /// When the first answer that has not been sent began.
  private var answerBegan: NIODeadline?
  private var check: Scheduled<Void>?

  package init(_ clients: ClientTable, limit: Int, time: TimeAmount) {
    self.clients = clients
    self.limit = limit
    self.time = time
  }

  package func handlerAdded(context: ChannelHandlerContext) { scheduleCheck(of: context.channel) }

  package func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  /// Looks at the times again after a part of the limit: that costs less than a timer for each
  /// request.
  private func scheduleCheck(of channel: any Channel) {
    let step = TimeAmount.nanoseconds(max(time.nanoseconds / 4, 10_000_000))
    check = channel.eventLoop.assumeIsolated().scheduleTask(in: step) { [weak self] in
      guard let self, channel.isActive else { return }
      let earliest = channel.eventLoop.now - time
      if [requestBegan, answerBegan].contains(where: { $0.map { $0 < earliest } ?? false }) {
        return channel.close(promise: nil)
      }
      scheduleCheck(of: channel)
    }
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused, waiting == nil else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      received = 0
      if let text = head.headerFields[.contentLength], let count = Int(text), count > limit {
        return refuse(context, isPassedOn: false)
      }
      requestBegan = context.eventLoop.now
      unanswered += 1
      if head.headerFields[.expect]?.lowercased() == "100-continue" {
        let go = HTTPResponse(status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
      }
    case .body(let buffer):
      received += buffer.readableBytes
      if received > limit { return refuse(context, isPassedOn: true) }
    case .end: requestBegan = nil
    }
    context.fireChannelRead(data)
  }

  /// Refuses the current request once those before it have been answered.
  private func refuse(_ context: ChannelHandlerContext, isPassedOn: Bool) {
    requestBegan = nil
    waiting = (
      ServingError(.tooLarge, "the body is larger than \(limit) bytes"), isPassedOn ? 1 : 0
    )
    refuseIfNext(context)
  }

  private func refuseIfNext(_ context: ChannelHandlerContext) {
    guard let waiting, !isRefused, unanswered <= waiting.place else { return }
    isRefused = true
    // A request that has its answer needs no second one.
    if unanswered == waiting.place { write(HTTPAnswer(waiting.error), to: context) }
    let channel = context.channel
    channel.close(mode: .output, promise: nil)
    // The client may still be sending: a reset would destroy the answer before it is read.
    context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }

  /// Sends an answer after which the connection ends.
  private func write(_ answer: HTTPAnswer, to context: ChannelHandlerContext) {
    var fields = HTTPFields()
    fields[.contentType] = answer.type
    fields[.contentLength] = "\(answer.body.count)"
    fields[.connection] = "close"
    context.write(
      wrapOutboundOut(.head(HTTPResponse(status: answer.status, headerFields: fields))),
      promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  package func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    guard !isRefused else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head: if answerBegan == nil { answerBegan = context.eventLoop.now }
    case .body: break
    case .end:
      unanswered -= 1
      let sent = promise ?? context.eventLoop.makePromise()
      sent.futureResult.assumeIsolated().whenComplete { _ in self.answerBegan = nil }
      context.write(data, promise: sent)
      return refuseIfNext(context)
    }
    context.write(data, promise: promise)
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      clients.halfClosed(context.channel)
    }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    clients.closed(context.channel)
    context.fireChannelInactive()
  }
}
