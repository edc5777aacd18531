"""From a sweep file to the list of launches and cells. Pure but for reading the one
file; nothing here starts, sends or writes anything."""
