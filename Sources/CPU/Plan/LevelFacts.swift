import CForgeKernels

extension forge_level {
  /// What is known of the instruction set, whether this machine has it or not.
  var facts: forge_level_facts {
    // Every case of the enum has facts; a number that is no case has those of plain C.
    (forge_facts(self) ?? forge_facts(FORGE_SCALAR))?.pointee ?? forge_level_facts()
  }
}
