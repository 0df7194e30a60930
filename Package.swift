// swift-tools-version: 6.2
import PackageDescription

// The targets in the order of their dependence: each uses only those above it (Docs/Architecture.md).
let package = Package(
  name: "forge",
  products: [
    .library(name: "Forge", targets: ["Forge"]),
    .library(name: "ForgeRunner", targets: ["ForgeRunner"]),
  ],
  traits: [
    .default(enabledTraits: ["HDF5"]),
    .trait(name: "HDF5", description: "Read parameters from HDF5 files (needs libhdf5-dev)."),
  ],
  targets: [
    .target(name: "ForgeShapes", path: "Sources/Shapes"),
    .target(name: "ForgeOperations", dependencies: ["ForgeShapes"], path: "Sources/Operations"),
    .target(name: "ForgeLayers", dependencies: ["ForgeOperations"], path: "Sources/Layers"),
    .target(name: "ForgeGraph", dependencies: ["ForgeLayers"], path: "Sources/Graph"),
    .target(name: "CForgeKernels", path: "Sources/Kernels"),
    .systemLibrary(name: "CForgeHDF5", path: "Sources/HDF5", pkgConfig: "hdf5"),
    .target(
      name: "ForgeLoaders",
      dependencies: [
        "ForgeShapes", .target(name: "CForgeHDF5", condition: .when(traits: ["HDF5"])),
      ],
      path: "Sources/Loaders"),
    .target(name: "ForgeRunner", path: "Sources/Runner"),
    .target(
      name: "Forge",
      dependencies: ["ForgeGraph", "CForgeKernels", "ForgeLoaders", "ForgeRunner"],
      path: "Sources/Forge"),
    .testTarget(name: "ForgeShapesTests", dependencies: ["ForgeShapes"]),
    .testTarget(name: "ForgeLoadersTests", dependencies: ["ForgeLoaders"]),
  ],
  swiftLanguageModes: [.v6]
)
