"""Random splits and damage: streams, responses and metrics pages as no server should
send them and as no network should cut them. Every failure prints its seed and the
smallest input that still fails."""
