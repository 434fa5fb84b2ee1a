"""The start of a session: plan, remember what is sent, print it."""

from __future__ import annotations

from memtui.agents import context, outputs, records
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
    seen: frozenset[str] = frozenset()
    if context.continues(call.host, said.source):
        ask = context.Ask(call.spool, bank.state, bank.key, call.host, said.session)
        seen = context.seen_lines(ask)
    wanted = Wanted(call.host, said.source, said.cwd, said.session, seen)
    planned = plan_now(bank, wanted, call.environ)
    for fault in planned.faults:
        call.fault(fault)
    if planned.plan.decisions:
        deliver(call, records.blank(call.event, call.host, bank.key, said), planned)


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
