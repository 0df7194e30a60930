import ForgeGraph

/// Everything that prevents a model from being compiled, collected in one pass.
public typealias CompileError = ModelError
