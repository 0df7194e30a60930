// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The library's targets stand in the order of their dependence: each uses only those above it. The
// table in Docs/Architecture.md says what each one holds.
let library: [Target] = [
  .target(name: "ForgeSystem", path: "Sources/System"),
  .target(name: "ForgeShapes", path: "Sources/Shapes"),
  .target(
    name: "ForgeOperations", dependencies: ["ForgeShapes", "ForgeSystem"],
    path: "Sources/Operations"),
  .target(name: "ForgeLayers", dependencies: ["ForgeOperations"], path: "Sources/Layers"),
  .target(name: "ForgeGraph", dependencies: ["ForgeLayers"], path: "Sources/Graph"),
  .target(name: "CForgeKernels", path: "Sources/Kernels"),
  .target(
    name: "ForgeCPU", dependencies: ["ForgeOperations", "CForgeKernels"], path: "Sources/CPU"),
  .systemLibrary(name: "CForgeHDF5", path: "Sources/HDF5", pkgConfig: "hdf5"),
  .systemLibrary(name: "CForgeZlib", path: "Sources/Zlib", pkgConfig: "zlib"),
  .target(
    name: "ForgeLoaders",
    dependencies: [
      "ForgeShapes", "ForgeSystem",
      .target(name: "CForgeZlib", condition: .when(traits: ["Zip"])),
    ],
    path: "Sources/Loaders"),
  .target(
    name: "ForgeRunner", dependencies: ["ForgeShapes", "ForgeSystem"], path: "Sources/Runner"),
  .target(
    name: "Forge",
    dependencies: ["ForgeGraph", "ForgeCPU", "ForgeLoaders", "ForgeRunner"],
    path: "Sources/Forge"),
  // A product of its own: libhdf5 brings some thirty shared libraries along.
  .target(
    name: "ForgeHDF5", dependencies: ["Forge", "CForgeHDF5"], path: "Sources/HDF5Writer"),
  .target(name: "ForgeModels", dependencies: ["Forge"], path: "Sources/Models"),
  .target(name: "CForgeJPEG", path: "Sources/JPEG", linkerSettings: [.linkedLibrary("jpeg")]),
  .target(name: "CForgePNG", path: "Sources/PNG", linkerSettings: [.linkedLibrary("png")]),
  // Pixel arithmetic; it shares the thread pool of the kernels.
  .target(name: "CForgePixels", dependencies: ["CForgeKernels"], path: "Sources/Pixels"),
  .target(
    name: "ForgeImages",
    dependencies: ["Forge", "ForgeSystem", "CForgeJPEG", "CForgePNG", "CForgePixels"],
    path: "Sources/Images"),
  // Arithmetic of sound; it shares the thread pool of the kernels.
  .target(name: "CForgeSound", dependencies: ["CForgeKernels"], path: "Sources/Sound"),
  .target(name: "ForgeAudio", dependencies: ["Forge", "CForgeSound"], path: "Sources/Audio"),
  .target(
    name: "ForgeMetrics",
    dependencies: ["ForgeRunner", .product(name: "Metrics", package: "swift-metrics")],
    path: "Sources/Metrics"),
  .target(
    name: "ForgeImporters", dependencies: ["Forge", "ForgeSystem"], path: "Sources/Importers"),
  // Writers of model files need no readers of them.
  .target(name: "ForgeExporters", dependencies: ["Forge"], path: "Sources/Exporters"),
  // The header of Forge for C, and the function that needs no Swift.
  .target(name: "CForge", path: "Sources/CHeader"),
  // Forge from C: a shared library, for audio hosts and other programs that are not Swift.
  .target(
    name: "ForgeC", dependencies: ["CForge", "Forge", "ForgeImporters"],
    path: "Sources/CInterface"),
  // Tokenizers need no network: a program that only tokenizes builds three small targets.
  .target(
    name: "ForgeText", dependencies: ["ForgeShapes", "ForgeSystem"], path: "Sources/Text"),
  // Networks from folders of the Hugging Face Hub.
  .target(
    name: "ForgeHub", dependencies: ["Forge", "ForgeAudio", "ForgeText", "ForgeSystem"],
    path: "Sources/Hub"),
  // What the tool computes, apart from its commands, so that tests reach it.
  .target(
    name: "ForgeToolSupport", dependencies: ["Forge", "ForgeImporters", "ForgeSystem"],
    path: "Sources/ToolSupport"),
  .target(name: "CForgeProcess", path: "Sources/Process"),
  .executableTarget(
    name: "ForgeTool",
    dependencies: [
      "CForgeProcess", "Forge", "ForgeModels", "ForgeImages", "ForgeImporters", "ForgeExporters",
      "ForgeHub", "ForgeToolSupport", "ForgeSystem",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Sources/Tool"),
]

/// A product of swift-syntax, for the targets that the trait `Macros` switches on.
func syntax(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

// Networks checked while Swift compiles. Without the trait `Macros` these targets are empty, and
// nobody clones or builds swift-syntax.
let macros: [Target] = [
  .target(
    name: "ForgeEvaluator",
    dependencies: [
      .target(name: "ForgeGraph", condition: .when(traits: ["Macros"])),
      .target(name: "ForgeLoaders", condition: .when(traits: ["Macros"])),
      syntax("SwiftSyntax"), syntax("SwiftParser"),
    ],
    path: "Sources/Evaluator"),
  .macro(
    name: "ForgeMacroPlugin",
    dependencies: [
      .target(name: "ForgeEvaluator", condition: .when(traits: ["Macros"])),
      .target(name: "ForgeShapes", condition: .when(traits: ["Macros"])),
      syntax("SwiftCompilerPlugin"), syntax("SwiftDiagnostics"), syntax("SwiftSyntax"),
      syntax("SwiftSyntaxBuilder"),
      syntax("SwiftSyntaxMacros"),
    ],
    path: "Sources/MacroPlugin"),
  .target(
    name: "ForgeMacros",
    dependencies: [
      "Forge", .target(name: "ForgeMacroPlugin", condition: .when(traits: ["Macros"])),
    ],
    path: "Sources/Macros"),
]

let examples: [Target] = [
  .executableTarget(
    name: "LeNet",
    dependencies: [
      "Forge", "CForgeZlib",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/LeNet", exclude: ["Training"], resources: [.copy("Resources")]),
  .executableTarget(
    name: "MobileNet",
    dependencies: [
      "Forge", "ForgeImages",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/MobileNet", resources: [.copy("Resources")]),
  .executableTarget(
    name: "Keywords",
    dependencies: ["Forge", .product(name: "ArgumentParser", package: "swift-argument-parser")],
    path: "Examples/Keywords", exclude: ["Training", "check"], resources: [.copy("Resources")]),
  .executableTarget(
    name: "Bitcrusher",
    dependencies: ["Forge", .product(name: "ArgumentParser", package: "swift-argument-parser")],
    path: "Examples/Bitcrusher"),
  .executableTarget(
    name: "LevelStrip",
    dependencies: [
      "ForgeAudio", .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/LevelStrip", exclude: ["make_message.py"], resources: [.copy("Resources")]),
  .executableTarget(
    name: "Video",
    dependencies: [
      "Forge", "ForgeImages", "ForgeModels",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/Video", exclude: ["check"]),
  .executableTarget(
    name: "SuperResolution",
    dependencies: [
      "Forge", "ForgeImages", "ForgeImporters",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/SuperResolution", exclude: ["check"], resources: [.copy("Resources")]),
  .executableTarget(
    name: "SentenceSearch",
    dependencies: [
      "Forge", "ForgeHub", .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Examples/SentenceSearch", exclude: ["Model", "check"],
    resources: [.copy("Resources")]),
]

let tests: [Target] = [
  .target(
    name: "ForgeTestSupport", dependencies: ["Forge"], path: "Tests/ForgeTestSupport"),
  // Scripts/check random-networks runs it.
  .executableTarget(
    name: "RandomNetworks", dependencies: ["Forge", "ForgeTestSupport"],
    path: "Tests/RandomNetworks"),
  // Scripts/check compiled-files runs it.
  .executableTarget(
    name: "CompiledNetworks", dependencies: ["Forge", "ForgeTestSupport"],
    path: "Tests/CompiledNetworks"),
  // Scripts/check open-sizes runs it.
  .executableTarget(
    name: "OpenSizes", dependencies: ["Forge", "ForgeImporters", "ForgeToolSupport"],
    path: "Tests/OpenSizes"),
  // Scripts/check onnx-files, keras-files and coreml-files run it.
  .executableTarget(
    name: "WrittenNetworks", dependencies: ["Forge", "ForgeExporters", "ForgeTestSupport"],
    path: "Tests/WrittenNetworks"),
  // Scripts/check swift-source runs it.
  .executableTarget(
    name: "WrittenSources",
    dependencies: [
      "Forge", "ForgeExporters", "ForgeImporters", "ForgeModels", "ForgeTestSupport",
    ],
    path: "Tests/WrittenSources"),
  .target(name: "CForgeTestSupport", path: "Tests/CForgeTestSupport"),
  .testTarget(name: "ForgeShapesTests", dependencies: ["ForgeShapes", "ForgeTestSupport"]),
  .testTarget(
    name: "ForgeOperationsTests", dependencies: ["ForgeOperations", "ForgeTestSupport"]),
  .testTarget(name: "ForgeLayersTests", dependencies: ["ForgeLayers", "ForgeTestSupport"]),
  .testTarget(name: "ForgeGraphTests", dependencies: ["ForgeGraph", "ForgeTestSupport"]),
  .testTarget(name: "CForgeKernelsTests", dependencies: ["CForgeKernels", "ForgeShapes"]),
  .testTarget(
    name: "ForgeLoadersTests",
    // libhdf5 judges Forge's own reader.
    dependencies: ["ForgeLoaders", "ForgeHDF5", "ForgeTestSupport", "CForgeHDF5"],
    exclude: ["Fixtures", "Archives"]),
  .testTarget(
    name: "ForgeArchivesTests", dependencies: ["ForgeLoaders", "ForgeTestSupport"],
    path: "Tests/ForgeLoadersTests/Archives", exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeModelsTests", dependencies: ["ForgeModels", "ForgeTestSupport"],
    exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeImagesTests",
    dependencies: [
      "ForgeImages", "ForgeModels", "ForgeImporters", "ForgeTestSupport", "CForgePixels",
      "CForgeTestSupport", "CForgeZlib",
    ],
    exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeAudioTests", dependencies: ["ForgeAudio", "CForgeSound", "ForgeShapes"],
    exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeImportersTests",
    dependencies: ["ForgeImporters", "ForgeImages", "ForgeTestSupport", "CForgeZlib"],
    exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeExportersTests",
    dependencies: ["ForgeExporters", "ForgeImporters", "ForgeModels", "ForgeTestSupport"]),
  .testTarget(
    name: "ForgeToolSupportTests",
    dependencies: ["ForgeToolSupport", "ForgeImporters", "ForgeModels", "ForgeTestSupport"],
    exclude: ["Fixtures"]),
  .testTarget(name: "ForgeTextTests", dependencies: ["ForgeText"], exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeHubTests", dependencies: ["ForgeHub", "ForgeAudio", "ForgeImages"],
    exclude: ["Fixtures"]),
  .testTarget(
    name: "ForgeCTests",
    dependencies: ["ForgeC", "CForge", "Forge", "ForgeTestSupport", "CForgeTestSupport"]),
  .testTarget(name: "ForgeRunnerTests", dependencies: ["ForgeRunner", "ForgeShapes"]),
  .testTarget(
    name: "ForgeMetricsTests",
    dependencies: [
      "ForgeMetrics", .product(name: "MetricsTestKit", package: "swift-metrics"),
    ]),
  .testTarget(
    name: "ForgeTests",
    dependencies: [
      "Forge", "ForgeModels", "ForgeHDF5", "ForgeSystem", "ForgeTestSupport", "CForgeKernels",
      "CForgeTestSupport",
    ]),
]

let macroTests: [Target] = [
  .testTarget(
    name: "ForgeMacrosTests",
    dependencies: [
      "ForgeMacros", "ForgeModels",
      .target(name: "ForgeEvaluator", condition: .when(traits: ["Macros"])),
      .target(name: "ForgeMacroPlugin", condition: .when(traits: ["Macros"])),
      syntax("SwiftDiagnostics"), syntax("SwiftOperators"), syntax("SwiftParser"),
      syntax("SwiftSyntax"), syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftSyntaxMacros"),
    ],
    exclude: ["Wrong"])
]

// Scripts/check macros builds these tests alone: the others take minutes in debug.
let isOfMacros = Context.environment["FORGE_MACRO_TESTS"] != nil

let package = Package(
  name: "forge",
  products: [
    .library(name: "Forge", targets: ["Forge"]),
    .library(name: "ForgeModels", targets: ["ForgeModels"]),
    .library(name: "ForgeImporters", targets: ["ForgeImporters"]),
    .library(name: "ForgeExporters", targets: ["ForgeExporters"]),
    .library(name: "ForgeImages", targets: ["ForgeImages"]),
    .library(name: "ForgeAudio", targets: ["ForgeAudio"]),
    .library(name: "ForgeText", targets: ["ForgeText"]),
    .library(name: "ForgeHub", targets: ["ForgeHub"]),
    .library(name: "ForgeMetrics", targets: ["ForgeMetrics"]),
    .library(name: "ForgeHDF5", targets: ["ForgeHDF5"]),
    .library(name: "ForgeC", type: .dynamic, targets: ["ForgeC"]),
    .library(name: "ForgeMacros", targets: ["ForgeMacros"]),
    .executable(name: "forge", targets: ["ForgeTool"]),
  ],
  traits: [
    .default(enabledTraits: ["Zip"]),
    .trait(
      name: "Zip",
      description: "Read .npz and .keras archives and compressed HDF5 (needs zlib1g-dev)."),
    .trait(
      name: "Macros",
      description: "Check networks while Swift compiles, with ForgeMacros (builds swift-syntax)."),
  ],
  dependencies: [
    // Used by the tool and the examples only; a package that depends on Forge does not build it.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Used by ForgeMetrics only.
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    // Used with the trait Macros only.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
  ],
  targets: library + macros + macroTests + (isOfMacros ? [] : examples + tests),
  swiftLanguageModes: [.v6]
)
