"""Findings to something to look at. Pure: functions return text, bytes or rich
renderables; who calls them prints or writes."""
