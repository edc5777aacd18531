"""The reference: a bare asyncio.Protocol on uvloop. It stamps in `data_received`, keeps
(instant, bytes), parses after the run, checks nothing and imports nothing of ours."""

import asyncio
import sys
import time
from pathlib import Path

import orjson
import uvloop

BODY = b'{"messages": [{"role": "user", "content": "request %09d"}], "stream": true}'
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n"


class Client(asyncio.Protocol):
    def data_received(self, data):
        self.pieces.append((time.monotonic_ns(), data))
        if data.endswith(b"\r\n0\r\n\r\n"):
            self.done.set_result(None)

    async def send_all(self, transport, delay, todo, raw):
        await asyncio.sleep(delay)
        for number in todo:
            self.pieces, self.done = [], asyncio.get_running_loop().create_future()
            sent = time.monotonic_ns()
            transport.write(HEAD % len(BODY % number) + BODY % number)
            await self.done
            raw.append((number, sent, self.pieces))


def parse(number, sent, pieces):
    chunks, rest = [], b""
    for instant, data in pieces:
        *events, rest = (rest + data).split(b"\n\n")
        for event in events:
            text = event.partition(b"data: ")[2]
            body = orjson.loads(text) if text[:1] == b"{" else {"choices": ()}
            if body["choices"] and body["choices"][0]["delta"]["content"]:
                chunks.append((instant, body["usage"]["completion_tokens"]))
    return {"request": number, "sent_ns": sent, "chunks": chunks}


async def main(host, port, streams, each, request_s, path):
    connect = asyncio.get_running_loop().create_connection
    made = [await connect(Client, host, port) for _ in range(int(streams))]
    todo, raw, gap = iter(range(len(made) * int(each))), [], float(request_s)
    pairs = enumerate(made)
    jobs = [c.send_all(t, i * gap / len(made), todo, raw) for i, (t, c) in pairs]
    input("ready\n")
    await asyncio.gather(*jobs)
    done = [parse(*exchange) for exchange in raw]
    input("done\n")
    Path(path).write_bytes(orjson.dumps({"requests": done, "failed": 0}))


uvloop.run(main(*sys.argv[1:]))
