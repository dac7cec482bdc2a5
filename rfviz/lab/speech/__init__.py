"""Speech: phones recognised from random features of sound."""
