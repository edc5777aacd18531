"""The metronome's own event loop: one process, one epoll, raw sockets, one `send` a
chunk. Chunks that are due are found without a search: every stream has the same gap,
so two queues (streams that wait for their first chunk, streams that tick) are each in
the order of their due instants. Each chunk is stamped just before its `send`."""

import re
import select
import socket
from array import array
from collections import deque
from http import HTTPStatus

from specbench.clock import monotonic_ns, utc_now
from specbench.schema.selftest import SentRequest
from specbench.sim.http1 import STREAM_HEAD, HttpRequest, RequestError, response
from specbench.sim.metronome_connection import END, NO_CHUNK, Connection, Stream
from specbench.sim.metronome_log import ScheduleLog
from specbench.sim.metronome_pages import page
from specbench.sim.metronome_schedule import Schedule, answer_bytes, answer_id
from specbench.units import NS_PER_S

TICK_NS = 200_000
"""Shortest sleep. Chunks due meanwhile leave together: a sleep for each alone would
cost two system calls more a chunk, and an engine's step sends its chunks together."""

LONGEST_SLEEP_NS = NS_PER_S
READ_BYTES = 1 << 16
NUMBER = re.compile(rb"request (\d{1,18})")
CHAT_PATH = "/v1/chat/completions"


class Metronome:
    """Serves one listening socket until a descriptor becomes readable."""

    def __init__(
        self, schedule: Schedule, listener: socket.socket, worker: int, log: ScheduleLog
    ) -> None:
        created = int(utc_now().timestamp())
        self._schedule = schedule
        self._answers = tuple(answer_bytes(t, created) for t in schedule.traces)
        self._listener = listener
        self._worker = worker
        self._log = log
        self._epoll = select.epoll()
        self._connections: dict[int, Connection] = {}
        self._starting: deque[Stream] = deque()
        self._ticking: deque[Stream] = deque()
        self._answered = 0

    def run(self, stop_fds: tuple[int, ...]) -> None:
        """Serve until one of `stop_fds` is readable or at its end; then log what is
        open."""
        listen_fd = self._listener.fileno()
        self._listener.setblocking(False)
        self._epoll.register(listen_fd, select.EPOLLIN)
        for fd in stop_fds:
            self._epoll.register(fd, select.EPOLLIN)
        while True:
            self._sleep()
            for fd, events in self._epoll.poll(0):
                if fd in stop_fds:
                    self._close()
                    return
                if fd == listen_fd:
                    self._accept()
                else:
                    self._attend(self._connections[fd], events)
            self._send_due()

    def _sleep(self) -> None:
        """Until a chunk is due or a socket is ready. `select` on epoll's descriptor,
        since `epoll.poll` itself counts in whole milliseconds."""
        due_ns = min(
            (queue[0].due_ns for queue in (self._starting, self._ticking) if queue),
            default=None,
        )
        sleep_ns = LONGEST_SLEEP_NS
        if due_ns is not None:
            ahead_ns = due_ns - monotonic_ns()
            if ahead_ns <= 0:
                return
            sleep_ns = min(max(ahead_ns, TICK_NS), LONGEST_SLEEP_NS)
        select.select([self._epoll], [], [], sleep_ns / NS_PER_S)

    def _send_due(self) -> None:  # noqa: C901, PLR0912 - calls cost here
        """Send every chunk that is due, in the order in which they are due."""
        starting, ticking = self._starting, self._ticking
        gap_ns = self._schedule.gap_ns
        last = self._schedule.chunks - 1
        until_ns = monotonic_ns()
        while True:
            queue = ticking
            if starting and (not ticking or starting[0].due_ns < ticking[0].due_ns):
                queue = starting
            if not queue or queue[0].due_ns > until_ns:
                return
            stream = queue.popleft()
            connection = stream.connection
            if not connection.is_open:
                continue
            place = stream.place
            stream.place = place + 1
            answer = stream.answer
            data = answer.heads[place] + stream.ident + answer.tails[place]
            if place == 0 and self._schedule.is_role_late:
                data = stream.ident.join(answer.role) + data
            if connection.waiting:
                connection.waiting.append((data, place))
            else:
                stream.sent[place] = monotonic_ns()
                try:
                    count = connection.sock.send(data)
                except BlockingIOError:
                    connection.keep(data, place)
                except OSError:
                    self._drop(connection)
                    continue
                else:
                    if count != len(data):
                        connection.keep(data[count:], NO_CHUNK)
            if place == last:
                self._end(stream)
            else:
                stream.due_ns += gap_ns
                ticking.append(stream)

    def _end(self, stream: Stream) -> None:
        """Usage and the end; the connection is free for its next request."""
        connection = stream.connection
        connection.is_last = not stream.keep_alive
        self._send(connection, stream.ident.join(stream.answer.ending))
        if connection.waiting:
            connection.waiting.append((b"", END))  # noted when the rest has left
        elif connection.is_open:
            self._finish(connection)

    def _finish(self, connection: Connection) -> None:
        now_ns = monotonic_ns()
        if connection.stream is not None:
            self._note(connection.stream, now_ns)
            connection.stream = None
        if connection.is_last:
            self._drop(connection)
        else:
            self._answer(connection, now_ns)

    def _send(self, connection: Connection, data: bytes) -> None:
        try:
            connection.send(data)
        except OSError:
            self._drop(connection)

    def _send_waiting(self, connection: Connection) -> None:
        try:
            while connection.send_waiting():
                self._finish(connection)
                if not connection.is_open:
                    return
        except OSError:
            self._drop(connection)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections[sock.fileno()] = Connection(sock, self._epoll)
            self._epoll.register(sock, select.EPOLLIN)

    def _attend(self, connection: Connection, events: int) -> None:
        if events & select.EPOLLOUT:
            self._send_waiting(connection)
        if not connection.is_open or not events & ~select.EPOLLOUT:
            return
        now_ns = monotonic_ns()
        try:
            data = connection.sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(connection)
            return
        connection.reader.feed(data)
        self._answer(connection, now_ns)

    def _answer(self, connection: Connection, now_ns: int) -> None:
        """Answer the requests that are whole, until one of them streams."""
        while connection.is_open and connection.stream is None:
            try:
                request = connection.reader.next_request()
            except RequestError as error:
                connection.is_last = True
                body = str(error).encode()
                self._send(connection, response(HTTPStatus.BAD_REQUEST, body))
                self._drop_if_done(connection)
                return
            if request is None:
                return
            if request.method == "POST" and request.path == CHAT_PATH:
                self._begin(connection, request, now_ns)
                return
            connection.is_last = not request.keep_alive
            self._send(connection, page(request))
            self._drop_if_done(connection)

    def _drop_if_done(self, connection: Connection) -> None:
        if connection.is_last and not connection.waiting:
            self._drop(connection)

    def _begin(self, connection: Connection, request: HttpRequest, now_ns: int) -> None:
        named = NUMBER.search(request.body)
        trace = self._answered % len(self._answers)
        stream = Stream(
            connection=connection,
            answer=self._answers[trace],
            tokens=self._schedule.traces[trace],
            ident=answer_id(self._worker, self._answered),
            request=int(named.group(1)) if named else None,
            arrival_ns=now_ns,
            due_ns=now_ns + self._schedule.ttft_ns,
            sent=array("q", bytes(8 * self._schedule.chunks)),
            keep_alive=request.keep_alive,
        )
        self._answered += 1
        connection.stream = stream
        stream.role_ns = monotonic_ns()
        opening = STREAM_HEAD
        if not self._schedule.is_role_late:
            opening += stream.ident.join(stream.answer.role)
        self._send(connection, opening)
        if connection.is_open:
            self._starting.append(stream)

    def _note(self, stream: Stream, end_ns: int | None) -> None:
        sent = stream.sent[: stream.place]
        self._log.write(
            SentRequest(
                request=stream.request,
                worker=self._worker,
                arrival_ns=stream.arrival_ns,
                first_due_ns=stream.arrival_ns + self._schedule.ttft_ns,
                gap_ns=self._schedule.gap_ns,
                role_ns=stream.role_ns,
                # a chunk that never got room has no instant
                sent_ns=tuple(instant for instant in sent if instant),
                tokens=stream.tokens,
                end_ns=end_ns,
            )
        )

    def _drop(self, connection: Connection) -> None:
        """The client is gone, or is to go."""
        if not connection.is_open:
            return
        connection.is_open = False
        if connection.stream is not None:
            self._note(connection.stream, None)
            connection.stream = None
        connection.waiting.clear()
        del self._connections[connection.sock.fileno()]
        self._epoll.unregister(connection.sock)
        connection.sock.close()

    def _close(self) -> None:
        for connection in list(self._connections.values()):
            self._drop(connection)
        self._epoll.close()
        self._listener.close()
