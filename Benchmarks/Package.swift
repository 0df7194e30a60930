// swift-tools-version: 6.2
import PackageDescription

// Speed and memory, and long comparisons, apart from the library: nothing here is a dependency of
// Forge's users.
let package = Package(
  name: "forge-benchmarks",
  dependencies: [.package(name: "forge", path: "..")],
  targets: [
    .executableTarget(
      name: "ForgeBenchmarks",
      dependencies: [
        .product(name: "Forge", package: "forge"), .product(name: "ForgeModels", package: "forge"),
      ]),
    .executableTarget(
      name: "RunnerBenchmark",
      dependencies: [
        .product(name: "Forge", package: "forge"), .product(name: "ForgeModels", package: "forge"),
      ]),
    .executableTarget(
      name: "Soak",
      dependencies: [
        .product(name: "Forge", package: "forge"), .product(name: "ForgeModels", package: "forge"),
      ]),
    .executableTarget(
      name: "RandomNetworks", dependencies: [.product(name: "Forge", package: "forge")]),
  ],
  swiftLanguageModes: [.v6]
)
