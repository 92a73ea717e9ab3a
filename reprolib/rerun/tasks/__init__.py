"""Running tasks: the walk over a protocol's stages, workers, the store, the plan of a run."""
