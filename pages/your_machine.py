"""How fast this machine is: every feature map against the limit of the device, and what stays interactive on it."""

from rfviz.lab.your_machine.views import show_machine

show_machine()
