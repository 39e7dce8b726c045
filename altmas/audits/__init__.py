"""Audits: durable assessments. A store of events, what they add up to, and the questions drawn from them."""
