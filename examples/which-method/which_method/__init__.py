"""Which method on which data: the study, and the same comparison on a table of one's own."""
