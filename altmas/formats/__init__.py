"""Reading and writing files: tables, arrays, Label Studio, and what comes back from the people who label."""
