"""Sleep: upkeep while nobody waits. It reads finished sessions, proposes, and puts away."""
