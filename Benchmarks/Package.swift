// swift-tools-version: 6.2
import PackageDescription

// Speed, memory and long comparisons, apart from the library. The script `run` builds a program into
// the folder of the package above, whose modules it takes as they are.

// No program here needs these packages. The one above does, and SwiftPM would remove what it has
// cloned and built of them.
let ofForge: [Target.Dependency] = [
  .product(
    name: "ArgumentParser", package: "swift-argument-parser",
    condition: .when(platforms: [.windows])),
  .product(name: "Metrics", package: "swift-metrics", condition: .when(platforms: [.windows])),
]

/// A program, with the products of Forge that it uses.
func program(_ name: String, _ products: [String]) -> Target {
  .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "forge") } + ofForge)
}

let package = Package(
  name: "forge-benchmarks",
  dependencies: [
    .package(name: "forge", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    program("ForgeBenchmarks", ["Forge", "ForgeModels"]),
    program("RunnerBenchmark", ["Forge", "ForgeModels"]),
    program("Soak", ["Forge", "ForgeModels"]),
    program("PictureBenchmark", ["Forge", "ForgeImages"]),
    program("SoundBenchmark", ["Forge", "ForgeAudio"]),
    program("Tokenizing", ["ForgeText"]),
    program("TextEmbedding", ["Forge", "ForgeHub"]),
    program("MemoryCycles", ["Forge", "ForgeModels"]),
  ],
  swiftLanguageModes: [.v6]
)
