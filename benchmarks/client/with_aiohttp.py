"""The same with aiohttp: lines of the body as they come, JSON at once."""

import asyncio
import time

import aiohttp
from closed_loop import (
    Answer,
    read_load,
    request_body,
    run_closed_loop,
    text_tokens,
)


async def main() -> None:
    load = read_load()
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

        async def ask(number: int) -> Answer:
            chunks = []
            sent_ns = time.monotonic_ns()
            async with session.post(
                f"{load.url}/v1/chat/completions", json=request_body(number)
            ) as response:
                response.raise_for_status()
                async for line in response.content:
                    now = time.monotonic_ns()
                    tokens = text_tokens(line)
                    if tokens is not None:
                        chunks.append((now, tokens))
            return Answer(number, sent_ns, chunks)

        await run_closed_loop(load, ask)


if __name__ == "__main__":
    asyncio.run(main())
