"""Random feature maps, their exact kernels, and the pictures that compare them."""
