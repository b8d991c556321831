"""Training of Crunch: a particle swarm over the settings of its filters; the paper leaves them to a person."""
