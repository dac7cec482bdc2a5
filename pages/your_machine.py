"""How fast this machine is: every feature map against the limit of the device, and what stays interactive on it."""

from rfviz.lab.your_machine.views import show_machine

TITLE = "Your machine"
ICON = ":material/speed:"
GROUP = "Laboratory"
ORDER = 90
QUESTION = "How close to this machine's limit do the maps run, and how many features can you afford?"

show_machine()
