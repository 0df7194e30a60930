// `import Forge` is enough to describe, compile and run a network.
@_exported import ForgeCPU
@_exported import ForgeGraph
@_exported import ForgeLayers
@_exported import ForgeLoaders
@_exported import ForgeOperations
@_exported import ForgeRunner
@_exported import ForgeShapes
