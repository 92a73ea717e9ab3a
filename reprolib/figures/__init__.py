"""Figures of the papers and of the report: functions of records that return a Figure."""
