"""The start of a session: plan, remember what is sent, print it."""

from __future__ import annotations

from memtui.agents import context, outputs, pending, records
from memtui.agents.planning import Planned, Wanted, plan_now
from memtui.capture import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtui.agents.bankmap import Known
    from memtui.agents.hook import Call
    from memtui.agents.payload import Payload


def start(call: Call, said: Payload, bank: Known) -> None:
    """Send the planned block, each line once in a context. A bank without items sends nothing.

    Raises OSError, sqlite3.Error, or IndexMissing.
    """
    if pending.waits(call.host, said.source):
        try:
            pending.leave(bank.state, call.host, said.session)
        except OSError as error:
            call.fault(f"the block of this {said.source} cannot wait for the prompt: {error}")
        else:
            return
    begin(call, said, bank, said.source, records.blank(call.event, call.host, bank.key, said))


def begin(call: Call, said: Payload, bank: Known, source: str, record: records.Record) -> bool:
    """Send the block of a context that begins, or goes on, by `source`. False when there is none to send.

    Raises as `start` does.
    """
    seen: frozenset[str] = frozenset()
    if context.continues(call.host, source):
        ask = context.Ask(call.spool, bank.state, bank.key, call.host, said.session)
        seen = context.seen_lines(ask)
    wanted = Wanted(call.host, source, said.cwd, said.session, seen)
    planned = plan_now(bank, wanted, call.environ)
    for fault in planned.faults:
        call.fault(fault)
    if not planned.plan.decisions:
        return False
    deliver(call, record, planned)
    return True


def deliver(call: Call, record: records.Record, planned: Planned) -> None:
    """Print a plan's text and leave its record in the spool.

    What could not be recorded is sent all the same. The record comes first, so that a kill in between
    repeats nothing; where printing fails it is taken back. Raises OSError when nobody reads the text.
    """
    record["source"] = planned.request.source
    records.injected(record, planned)
    path = ""
    try:
        path = spool.write(call.spool, record)
    except OSError as error:
        call.fault(f"the spool cannot be written, so a resume will repeat this: {error}")
    if not planned.plan.text:
        return
    try:
        outputs.print_out(outputs.say(call.host, call.event, planned.plan.text))
    except OSError:
        if path:
            spool.discard(path)
        raise
