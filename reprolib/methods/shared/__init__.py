"""What the methods share: kernels, output codes, input checks, low-rank features, Solution."""
