"""Where a particle swarm beats gradients, on corpora left out."""
