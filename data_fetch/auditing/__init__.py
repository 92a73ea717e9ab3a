"""What is wrong or odd in a data set, as far as its own values can show it."""

from data_fetch.auditing.audits import Audit, audit, audit_dataset
from data_fetch.auditing.finding import LEVEL, Finding

__all__ = ["LEVEL", "Audit", "Finding", "audit", "audit_dataset"]
