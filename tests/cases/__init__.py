"""The cases of people who benchmark LLM servers, each for its whole kind: see README.md
beside this."""
