import ForgeServing
import Testing

@Suite struct HTTPTests {
  @Test func routes() {
    let routes: [(String, ServingRoute?)] = [
      ("/", .page), ("/metrics", .metrics), ("/v2", .server), ("/v2/", .server),
      ("/v2/health/live", .live), ("/v2/health/ready", .ready),
      ("/v2/models/a", .model("a", version: nil)),
      ("/v2/models/a/versions/3", .model("a", version: "3")),
      ("/v2/models/a/ready", .modelReady("a", version: nil)),
      ("/v2/models/a/versions/3/infer", .infer("a", version: "3")),
      ("/v2/models/a%20b%2Fc/infer", .infer("a b/c", version: nil)),
      ("/v2/models/a/config", .configuration("a", version: nil)),
      ("/v2/models/a/stats", .statistics("a", version: nil)),
      ("/v2/models/stats", .statistics(nil, version: nil)),
      ("/v2/repository/index", .index),
      ("/v2/repository/models/a/load", .load("a")),
      ("/v2/repository/models/a/unload", .unload("a")),
      ("/v2/systemsharedmemory/status", .absent("shared memory")),
      ("/v1/embeddings", .embeddings), ("/v1/models", .encoders(nil)),
      ("/v1/models/a%2Fb", .encoders("a/b")), ("/v1/models/a/b", nil), ("/v1/chat", nil),
      ("/v1", nil), ("/v2/models", nil), ("/v2/models/a/versions", nil),
      ("/v2/models/a/other", nil), ("/v2/models/a/infer/b", nil), ("/v2/models/%ff", nil),
      ("/v2/models/%2", nil), ("/v2/repository/models/a", nil), ("/metrics/x", nil),
      ("/v2/a/b/c/d/e/f/g/h", nil),
    ]
    for (path, route) in routes { #expect(ServingRoute(path: path[...]) == route, "\(path)") }
  }

  @Test(arguments: [ContentCoding.gzip, .deflate], [0, 1, 999, 1_000_003])
  func codings(_ coding: ContentCoding, _ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let compressed = try #require(coding.compressed(bytes))
    #expect(try ContentCoding.decompressed(compressed[...], limit: count) == bytes)
    guard count > 0 else { return }
    let error = #expect(throws: ServingError.self) {
      try ContentCoding.decompressed(compressed[...], limit: count - 1)
    }
    #expect(error?.kind == .tooLarge)
    #expect(throws: ServingError.self) {
      try ContentCoding.decompressed(compressed.dropLast(), limit: count)
    }
  }

  @Test func acceptedCodings() {
    #expect(ContentCoding.accepted("gzip, deflate") == .gzip)
    #expect(ContentCoding.accepted("br, deflate;q=0.5") == .deflate)
    #expect(ContentCoding.accepted("gzip;q=0, deflate") == .deflate)
    #expect(ContentCoding.accepted("identity") == nil)
    #expect(ContentCoding.accepted(nil) == nil)
    #expect(throws: ServingError.self) { try ContentCoding.named("br") }
  }

  @Test func tokens() throws {
    let token = try #require(BearerToken("s3cret"))
    try token.check("Bearer s3cret")
    try token.check("bearer s3cret")
    for header in [
      nil, "", "Basic s3cret", "Bearer s3cre", "Bearer s3crets", "Bearer s3crets3cret",
    ] {
      #expect(throws: ServingError.self) { try token.check(header) }
    }
    #expect(BearerToken("") == nil)
    #expect(BearerToken("a b") == nil)
  }
}
