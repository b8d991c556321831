"""Training by particle swarm: search space, fitness, the swarm."""
