"""Which drafter is set, and what one use of it cost."""

from __future__ import annotations

import ipaddress
import shlex
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from memtui.settings import Drafter as Setting
from memtui.settings import SettingsError

LOOPBACK = "localhost"


class DrafterError(Exception):
    """Why a drafter gave nothing that can be used; the rules draft instead, and this is said."""


@dataclass(frozen=True, slots=True)
class Drafter:
    """A `command` that reads a prompt and writes JSON, or the `url` of an endpoint on this machine.

    `timeout` is in seconds, for one session; `sessions` is how many of one sleep are given to it.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    model: str = ""
    timeout: float = 120.0
    sessions: int = 20

    @property
    def name(self) -> str:
        """As it is shown: the program's name, or model and endpoint."""
        if self.command:
            return self.command[0].rsplit("/", 1)[-1]
        return f"{self.model or 'model'} at {urlsplit(self.url).netloc}"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one use cost: characters sent and received, and seconds. Tokens are an estimate."""

    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    tokens: int = 0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            self.sent + other.sent,
            self.received + other.received,
            self.seconds + other.seconds,
            self.tokens + other.tokens,
        )


def drafter_of(setting: Setting) -> Drafter | None:
    """The drafter that the settings name, None when they name none. Raises SettingsError."""
    if not setting.command and not setting.url:
        return None
    if setting.command and setting.url:
        raise SettingsError("drafter: command and url are both set; keep one of them")
    try:
        command = tuple(shlex.split(setting.command))
    except ValueError as error:
        raise SettingsError(f"drafter.command: {error}") from error
    if setting.url:
        check_url(setting.url)
    return Drafter(command, setting.url, setting.model, setting.timeout, setting.sessions)


def check_url(url: str) -> SplitResult:
    """The parts of an endpoint on this machine. Raises SettingsError for any other."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SettingsError(f"drafter.url: {url!r}: {error}") from error
    if parts.scheme != "http" or not parts.hostname or parts.username is not None:
        raise SettingsError(f"drafter.url: {url!r} is no address like http://127.0.0.1:11434/v1")
    if not is_loopback(parts.hostname):
        raise SettingsError(
            f"drafter.url: {parts.hostname} is not this machine; only loopback is allowed "
            "(127.0.0.1, ::1, localhost)"
        )
    return parts


def is_loopback(host: str) -> bool:
    """Whether a host is written as this machine: no name is asked for but localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == LOOPBACK
