"""Tool events and the end of a session: one small file in the spool each."""

from __future__ import annotations

from memtui.agents import pending, records
from memtui.capture import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtui.agents.bankmap import Known
    from memtui.agents.hook import Call
    from memtui.agents.payload import Payload


def note(call: Call, said: Payload, bank: Known) -> None:
    """Leave the event's record; at the end of a session also keep the spool bounded. Raises OSError."""
    record = records.blank(call.event, call.host, bank.key, said)
    if call.event == "session-end":
        record["reason"] = said.text("reason")[:100]
    else:
        records.with_tool(record, said, after=call.event == "post-tool")
    spool.write(call.spool, record)
    if call.event == "session-end":
        pending.take(bank.state, call.host, said.session)
        gone = spool.prune(call.spool)
        if gone:
            call.fault(
                f"the spool was full: the {gone} oldest records are gone; open memtui to drain it"
            )
