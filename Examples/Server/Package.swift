// swift-tools-version: 6.2
import PackageDescription

// A package of a user's own. Outside this repository the dependency on Forge is
// .package(url: "https://…/forge", from: "0.1.0").
let package = Package(
  name: "server",
  dependencies: [
    .package(name: "forge", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [
        .product(name: "Forge", package: "forge"),
        .product(name: "ForgeImages", package: "forge"),
        .product(name: "ForgeMetrics", package: "forge"),
        .product(name: "ForgeModels", package: "forge"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
