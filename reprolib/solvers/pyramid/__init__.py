"""Trees of kernels: the tree, its mixed norm and weights, and the problems that use them."""
