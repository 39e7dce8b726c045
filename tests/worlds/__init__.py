"""What several tests share: small pools, audits, servers and runs whose truth is known. Holds no test."""
