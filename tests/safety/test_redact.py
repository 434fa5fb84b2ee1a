"""Secrets are masked, harmless text stays, and no text can stall it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.safety import secret_rules as rules
from memtui.safety.redact import SHORTEST, redact

A = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
"""Thirty-two characters that look random; the planted secrets are put together from it."""

SECRETS = [
    f"AKIA{'DEMO19800EXAMPLE'[:16]}",
    f"ghp_{A}abcd",
    f"gho_{A}abcd",
    f"github_pat_{A}{A}",
    f"glpat-{A[:20]}",
    f"xoxb-{A}",
    f"https://hooks.slack.com/services/T000/B000/{A}",
    f"sk_live_{A}",
    f"rk_test_{A}",
    f"whsec_{A}",
    f"sk-ant-api03-{A}",
    f"sk-proj-{A}{A}",
    f"sk-{A}{A[:16]}",
    f"AIza{A}abc",
    f"ya29.{A}",
    f"GOCSPX-{A[:28]}",
    f"npm_{A}abcd",
    f"pypi-{A}{A}",
    f"hf_{A}",
    f"dop_v1_{'0123456789abcdef' * 4}",
    f"SG.{A[:22]}.{A}abcdefg",
    f"SK{'0123456789abcdef' * 2}",
    f"key-{'0123456789abcdef' * 2}",
    f"dapi{'0123456789abcdef' * 2}",
    f"shpat_{'0123456789abcdef' * 2}",
    f"hvs.{A}",
    f"AGE-SECRET-KEY-1{'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L' * 2}"[:74],
    f"123456789:AA{A}a",
    f"eyJ{A}.eyJ{A}.{A}",
    f"xapp-1-A012-{A}",
    f"sk-or-v1-{A}{A}",
    f"1//0{A}{A}",
    f"glsa_{A}_0a1b2c3d",
    f"gsk_{A}{A[:20]}",
    f"dckr_pat_{A[:27]}",
    f"tskey-auth-{A}",
    f"lin_api_{A}",
    f"{A[:14]}.atlasv1.{A}{A}",
]

IN_CONTEXT = [
    (f"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/{A[:12]}", "wJalrXUtnFEMI"),
    ("export DB_PASSWORD=hunter2-x9", "hunter2-x9"),
    ("PASSWORD=hunter2", "hunter2"),
    ('password: "correct horse battery"', "correct horse battery"),
    ("'password': 'p4ssw0rd!x'", "p4ssw0rd!x"),
    ("postgres://app:s3cr3t-pw@db.local:5432/x", "s3cr3t-pw"),
    ("mysql://root:toor99@127.0.0.1/db", "toor99"),
    ("mongodb+srv://u:pa55word@cluster/x", "pa55word"),
    ("redis://:an0therpw@cache:6379/0", "an0therpw"),
    ("amqp://guest:gu3stpw@mq/", "gu3stpw"),
    ("https://user:t0ken123@example.com/repo.git", "t0ken123"),
    (f"Authorization: Bearer {A}", A),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    (f"curl -H 'Authorization: token {A}'", A),
    ("Cookie: session=abcdef123456; theme=dark", "abcdef123456"),
    ("Set-Cookie: id=a3fWa9x; Secure", "a3fWa9x"),
    (f'"client_secret": "{A[:16]}"', A[:16]),
    (f"api_key={A[:20]}", A[:20]),
    (f"apiKey: {A[:24]}", A[:24]),
    (f"ACCESS_TOKEN={A}", A),
    (f"auth_key => '{A[:18]}'", A[:18]),
    ("--password hunter22", "hunter22"),
    (f"--token={A}", A),
    (f"--api-key '{A[:20]}'", A[:20]),
    (f"AccountKey={A}{A}==", A),
    (r"{\"password\": \"hunter22x\"}", "hunter22x"),
    (rf"{{\"Authorization\": \"token {A}\"}}", A),
    (f"Authorization: {A}", A),
    (f"X-Api-Key: {A}", A),
    (f"PRIVATE-TOKEN: {A[:20]}", A[:20]),
    ('"Cookie": "session=abcdef123456"', "abcdef123456"),
    ("postgres://app:p@ss-w0rd@db.local/x", "ss-w0rd"),
    ("jdbc:postgresql://db/x?user=a&password=b1x34", "b1x34"),
    ("Server=db;User Id=sa;Password=Abc123!;", "Abc123!"),
    ("curl -u dana:hunter2-x https://x.example/y", "hunter2-x"),
    ("curl --user 'dana:hunter2-x' https://x.example/y", "hunter2-x"),
    ("machine x.example login dana password z1x2c3", "z1x2c3"),
    (f"//registry.example/:_auth={A}", A),
    ('{"auths": {"r.example": {"auth": "ZGFuYTpodW50ZXIy"}}}', "ZGFuYTpodW50ZXIy"),
    (f"https://x.example/c?sv=1&sig={A}%3D", A),
    (f"ENCRYPTION_KEY={A}", A),
    ("PGPASSWORD=letmein psql", "letmein"),
    (f"clientSecretProd: {A[:20]}", A[:20]),
    ("mail me at dana.smith@corp.example.org please", "dana.smith@corp"),
    (f"npm config set //r/:_authToken={A}", A),
    ("private_key: MIIEvQIBADANBgkqhkiG9w0BAQEF", "MIIEvQIBADANBgkqhkiG9w0BAQEF"),
    (f'secret = "{A[:12]}x9"', f"{A[:12]}x9"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabcd1234ABCD5678\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA7",
    ),
    ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ", "MIIEvQIBADANBgkqhkiG9w0BAQ"),
]

HARMLESS = [
    "def f(token: str, api_key: Optional[str] = None) -> str:",
    "token = get_token()",
    "password = settings.password",
    'secret = os.environ["SECRET"]',
    "api_key=${API_KEY}",
    "api_key: <your key>",
    "tokens: 5234",
    "token_count = 12345678",
    "max_tokens=4096",
    "git@example.com:shop/svc-order.git",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "d3c522a6-34b1-4287-8578-31c27e6f54e6",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "/usr/lib/python3.11/site-packages/token.py",
    "https://example.com/path?x=1#frag",
    "postgres://localhost:5432/orders",
    "http://127.0.0.1:8417/healthz",
    "the secret of good tests is isolation",
    "password must not be empty",
    "key: value-of-thing",
    "primary_key=True",
    "keyboard: true",
    "x[/]y list[int] {a: b}",
    "task-1234567890abcdef",
    "risk-free disk-based ask-me",
    "no connection within 0.2s (size=0)",
    "ORDER_POOL_SIZE=8",
    "AssertionError: 200 != 503",
    "SELECT token FROM sessions WHERE id = ?",
    "next_page_token=CAoQAA",
    "@pytest.fixture",
    "import secrets; secrets.choice(x)",
    "Bearer of bad news",
    "cookie: no",
    "color: #aabbcc; width: 100px",
    "2026-11-20T12:00:00Z",
    "v1.2.3-rc.1+build.5",
    "aGVsbG8gd29ybGQ=",
    "feature/bulk-import",
    "user_id: 1234567890",
    "passed: 12, failed: 0",
    "icon@2x.png",
    "systemctl status getty@tty1.service",
    'tokenizer: "cl100k_base"',
    "TOKENIZER_MODEL=cl100k_base",
    "token_limit=200k-tokens",
    'access_key_id = "see-vault-7"',
    'password_field_id = "pw-field-17"',
    'api_key_header: "x-api-key-1"',
    "secret_name: prod2/db4-creds9",
    "http://localhost:4873/@scope/pkg",
    "npm install react@19.0.0 @types/node@22",
    "git push -u origin feature/pool-8",
    "python -u main.py:3",
    "docker run -u 1000:1000 image",
    "author = x; login required",
    "Authorization: Bearer $TOKEN",
    "Authorization header missing",
    "the sk-learn-like-interface-of-all-estimators-here",
    "-----BEGIN CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJfQ",
    "postgres://user@localhost/db",
    "cursor: pointer; token: var(--token-color)",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_tokens_are_masked_wherever_they_stand(secret: str) -> None:
    for text in (secret, f"x {secret} y", f'"{secret}",', f"a={secret}\n"):
        assert secret not in redact(text).text
        assert redact(text).count >= 1


@pytest.mark.parametrize(("text", "secret"), IN_CONTEXT)
def test_named_secrets_are_masked(text: str, secret: str) -> None:
    masked = redact(text).text
    assert secret not in masked
    assert "[redacted:" in masked


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays(text: str) -> None:
    assert redact(text).text == text


def test_there_are_sixty_secrets_of_twenty_kinds() -> None:
    texts = [*SECRETS, *(text for text, _ in IN_CONTEXT)]
    kinds = {kind for text in texts for kind, _ in redact(text).hits}
    assert len(texts) >= 60
    assert len(kinds) >= 20


@given(
    st.lists(
        st.sampled_from([*SECRETS, *HARMLESS, *(t for t, _ in IN_CONTEXT), "\n", " ", '"']),
        max_size=8,
    )
)
def test_redacting_twice_changes_nothing(parts: list[str]) -> None:
    once = redact(" ".join(parts)).text
    assert redact(once).text == once


@given(st.text(max_size=400))
def test_any_text_is_taken(text: str) -> None:
    assert redact(redact(text).text).text == redact(text).text


@pytest.mark.parametrize("rule", rules.TOKENS, ids=[rule.kind for rule in rules.TOKENS])
@given(data=st.data())
def test_what_is_passed_over_unread_holds_no_token(rule: rules.Rule, data: st.DataObject) -> None:
    token = data.draw(st.from_regex(rule.pattern, fullmatch=True))
    assert len(token) >= SHORTEST
    assert token.split() == [token]


@given(
    st.lists(
        st.sampled_from([*SECRETS, *(t for t, _ in IN_CONTEXT), " ", "\n", "plain"]), max_size=6
    )
)
def test_a_pattern_of_ones_own_changes_nothing_else(parts: list[str]) -> None:
    """With a pattern of the user's own, nothing is passed over unread: the result must be the same."""
    text = " ".join(parts)
    assert redact(text).text == redact(text, (re.compile("never said"),)).text


HOSTILE = [
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "password=", "password", "secret=(", "token = ", "sk-",
    "eyJ", "eyJaaaaaaaa.", "a-", "a@", "a@b.", "http://a:", "a://b:", "AKIA", "MAAAA", "\\", "'", '"', " ",
    "Cookie: ", "Authorization: ", "bearer ", "login a password ", "-u a:", "--token ", "[redacted:", "A", "/",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("before", ["", "password=", "https://u:"])
def test_a_hostile_megabyte_is_read_in_linear_time(piece: str, before: str) -> None:
    began = time.process_time()
    redact(before + piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 4
