"""As many write it: httpx, `aiter_lines`, JSON as it comes, a stamp for each line."""

import asyncio
import time

import httpx
from closed_loop import (
    Answer,
    read_load,
    request_body,
    run_closed_loop,
    text_tokens,
)


async def main() -> None:
    load = read_load()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(
        base_url=load.url, timeout=None, limits=limits, trust_env=False
    ) as client:

        async def ask(number: int) -> Answer:
            chunks = []
            sent_ns = time.monotonic_ns()
            async with client.stream(
                "POST", "/v1/chat/completions", json=request_body(number)
            ) as response:
                response.raise_for_status()
                async for line in response.aiter_lines():
                    now = time.monotonic_ns()
                    tokens = text_tokens(line)
                    if tokens is not None:
                        chunks.append((now, tokens))
            return Answer(number, sent_ns, chunks)

        await run_closed_loop(load, ask)


asyncio.run(main())
