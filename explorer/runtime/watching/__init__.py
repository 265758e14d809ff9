"""Watch every step of a training: statistics, repeated steps of events, and samples of batches."""
