"""Reads facts about the machine: GPUs, CPUs, memory, system. An effect that changes
nothing but, when asked, the CPUs that this process may use."""
