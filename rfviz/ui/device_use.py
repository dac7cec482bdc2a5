def note(used, seconds, mapped):
    pass
