import CForgeKernels

extension forge_level {
  /// The properties of the instruction set, whether or not this machine supports it.
  var facts: forge_level_facts {
    // Every case of the enum has facts; a value outside the enum gets those of plain C.
    (forge_facts(self) ?? forge_facts(FORGE_SCALAR))?.pointee ?? forge_level_facts()
  }
}
