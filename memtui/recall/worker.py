"""The other side of `child.Child`: a process that answers messages for as long as its owner lives."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import BinaryIO, NoReturn

from memtui.recall.wire import Message, receive, send

Answer = Callable[[Message], Message]


def serve(prepare: Callable[[], tuple[Message, Answer]], failure: type[Exception]) -> NoReturn:
    """Get ready, greet, and answer one message after the other. A `failure` is told to the owner:
    while getting ready it is the end, later it is the answer.

    When the owner is gone, or has closed its end, this process ends at once, also amid its work.
    """
    # Whatever a library prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions: SimpleQueue[Message] = SimpleQueue()
    threading.Thread(target=_listen, args=(questions,), daemon=True).start()
    try:
        _answer_all(prepare, failure, questions, answers)
    finally:
        # Python's own way out would wait for the listener's hold on standard input.
        os._exit(1)


def _answer_all(
    prepare: Callable[[], tuple[Message, Answer]],
    failure: type[Exception],
    questions: SimpleQueue[Message],
    answers: BinaryIO,
) -> None:
    try:
        greeting, answer = prepare()
    except failure as error:
        send(answers, _refusal(error))
        return
    send(answers, greeting)
    while True:
        asked = questions.get()
        try:
            said = answer(asked)
        except failure as error:
            said = _refusal(error)
        send(answers, said)


def _listen(questions: SimpleQueue[Message]) -> None:
    try:
        while (asked := receive(sys.stdin.buffer)) is not None:
            questions.put(asked)
    finally:
        os._exit(0)


def _refusal(error: Exception) -> Message:
    return Message({"error": str(error), "fix": str(getattr(error, "fix", ""))})
