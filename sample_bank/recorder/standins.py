"""Scripted model APIs on loopback, and the story clock that they share.

Three HTTP handlers speak just enough of the Anthropic Messages, OpenAI Responses and Gemini
generateContent protocols for the real clients.  Each main-thread request takes the next turn of the
running script; a request of a sub-agent takes the next turn of that agent's own list.
"""
import json
import random
import string
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ALNUM = string.ascii_letters + string.digits


def token(prefix, n=22):
    return prefix + "".join(random.choices(ALNUM, k=n))


class Clock:
    """Maps the real time of the recording to the time of the story, piece by piece."""

    def __init__(self, offset_file):
        self.marks, self.offset_file, self.lock = [], offset_file, threading.Lock()

    def begin(self, story):
        self.marks = [(time.time() - 0.001, story)]
        self._write()

    def story(self, real=None):
        real = time.time() if real is None else real
        marks = self.marks
        if real <= marks[0][0]:
            return marks[0][1] + (real - marks[0][0])
        for (r0, s0), (r1, s1) in zip(marks, marks[1:]):
            if real <= r1:
                return s0 + (s1 - s0) * (real - r0) / (r1 - r0)
        return marks[-1][1] + (real - marks[-1][0])

    def advance(self, seconds):
        """Let `seconds` of the story pass while 30 ms of real time do."""
        with self.lock:
            r0 = time.time()
            s0 = self.story(r0)
            time.sleep(0.03)
            r1 = time.time()
            self.marks += [(r0, s0), (r1, s0 + seconds)]
            self._write()

    def _write(self):
        with open(self.offset_file, "w") as f:
            f.write(str(int(self.marks[-1][1] - self.marks[-1][0])))


class Script:
    """The turns that the model still has to play."""

    def __init__(self, clock, log):
        self.clock, self.log = clock, log
        self.reset({})

    def reset(self, meta):
        self.meta, self.main, self.agents = meta, [], []
        self.rng = random.Random(meta.get("name", ""))

    def pop(self, queue):
        turn = queue.pop(0) if queue else {"say": "Done."}
        text = turn.get("say", "") + json.dumps(turn.get("calls", [])) + turn.get("think", "")
        self.clock.advance(turn.get("gap") or 2.1 + len(text) / 55 + 4 * self.rng.random())
        return turn

    def agent_queue(self, text):
        for agent in self.agents:
            if agent["prompt"][:80] in text:
                return agent["turns"]
        return None

    def note(self, path, req):
        with open(self.log, "a") as f:
            f.write(json.dumps({"script": self.meta.get("name"), "path": path, "req": req}) + "\n")


def plain(content):
    if isinstance(content, str):
        return content
    return "\n".join(b.get("text", "") if isinstance(b.get("text"), str) else "" for b in content or [])


class Base(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = None

    def log_message(self, *args):
        pass

    def reply(self, body, ctype="application/json", status=200, headers=()):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("content-type", ctype)
        self.send_header("content-length", str(len(body)))
        for k, v in headers:
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            raw = self.rfile.read(int(self.headers.get("content-length", 0) or 0))
        else:
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        try:
            return json.loads(raw)
        except ValueError:
            return {}

    def do_HEAD(self):
        self.reply(b"")

    def do_GET(self):
        self.reply(b'{"data":[],"models":[]}')


class Anthropic(Base):
    def do_POST(self):
        req, s = self.body(), self.script
        s.note(self.path, req)
        if "count_tokens" in self.path:
            return self.reply('{"input_tokens": 812}')
        if "/v1/messages" not in self.path:
            return self.reply("{}")
        msgs = req.get("messages", [])
        users = [plain(m["content"]) for m in msgs if m["role"] == "user"]
        if users and "summary of the conversation so far" in users[-1]:
            s.clock.advance(14)
            turn = {"say": s.meta["summary"]}
        elif not req.get("tools"):
            turn = {"say": json.dumps({"title": s.meta.get("title", "svc-order")})}
        else:
            queue = s.agent_queue(users[0] if users else "")
            turn = s.pop(s.main if queue is None else queue)
        rid = ("request-id", token("req_011C"))
        if "error" in turn:
            kind = {529: "overloaded_error", 400: "invalid_request_error", 500: "api_error"}[turn["error"]]
            return self.reply(json.dumps({"type": "error", "error": {"type": kind, "message": turn["message"]}}),
                              status=turn["error"], headers=[rid])
        blocks = []
        if turn.get("think"):
            blocks.append({"type": "thinking", "thinking": turn["think"], "signature": token("Eo", 60)})
        if turn.get("say"):
            blocks.append({"type": "text", "text": turn["say"]})
        for name, args in turn.get("calls", []):
            blocks.append({"type": "tool_use", "id": token("toolu_01"), "name": name, "input": args})
        stop = "tool_use" if turn.get("calls") else "end_turn"
        size = len(json.dumps(req)) // 4
        usage = {"input_tokens": 3 + size % 900, "cache_creation_input_tokens": size % 2300,
                 "cache_read_input_tokens": size, "output_tokens": 1}
        out = len(json.dumps(blocks)) // 4
        msg = {"id": token("msg_01"), "type": "message", "role": "assistant", "model": req.get("model"),
               "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not req.get("stream"):
            msg.update(content=blocks, stop_reason=stop, usage={**usage, "output_tokens": out})
            return self.reply(json.dumps(msg), headers=[rid])
        ev = [("message_start", {"message": msg})]
        for i, b in enumerate(blocks):
            start, deltas = {
                "text": lambda b: ({"type": "text", "text": ""}, [{"type": "text_delta", "text": b["text"]}]),
                "thinking": lambda b: ({"type": "thinking", "thinking": "", "signature": ""},
                                       [{"type": "thinking_delta", "thinking": b["thinking"]},
                                        {"type": "signature_delta", "signature": b["signature"]}]),
                "tool_use": lambda b: ({**b, "input": {}},
                                       [{"type": "input_json_delta", "partial_json": json.dumps(b["input"])}]),
            }[b["type"]](b)
            ev.append(("content_block_start", {"index": i, "content_block": start}))
            ev += [("content_block_delta", {"index": i, "delta": d}) for d in deltas]
            ev.append(("content_block_stop", {"index": i}))
        ev += [("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None},
                                  "usage": {"output_tokens": out}}), ("message_stop", {})]
        self.reply("".join(f"event: {e}\ndata: {json.dumps({'type': e, **d})}\n\n" for e, d in ev),
                   "text/event-stream", headers=[rid])


class OpenAI(Base):
    def do_POST(self):
        req, s = self.body(), self.script
        s.note(self.path, req)
        if "/responses" not in self.path:
            return self.reply("{}")
        turn = s.pop(s.main)
        if "error" in turn:
            return self.reply(json.dumps({"error": {"message": turn["message"], "type": "server_error"}}),
                              status=turn["error"])
        items = []
        if turn.get("think"):
            items.append({"type": "reasoning", "id": token("rs_0", 48), "encrypted_content": None,
                          "summary": [{"type": "summary_text", "text": turn["think"]}]})
        if turn.get("say"):
            items.append({"type": "message", "role": "assistant", "id": token("msg_0", 48), "status": "completed",
                          "content": [{"type": "output_text", "text": turn["say"], "annotations": []}]})
        for name, args in turn.get("calls", []):
            call = token("call_", 24)
            if name == "apply_patch":
                items.append({"type": "custom_tool_call", "id": token("ctc_0", 48), "call_id": call, "name": name,
                              "input": args, "status": "completed"})
            else:
                # A tool of an MCP server is called as SERVER/TOOL.
                space, _, tool = name.rpartition("/")
                items.append({"type": "function_call", "id": token("fc_0", 48), "call_id": call, "name": tool,
                              "arguments": json.dumps(args), "status": "completed",
                              **({"namespace": space} if space else {})})
        size, out, rid = len(json.dumps(req)) // 4, len(json.dumps(items)) // 4, token("resp_0", 48)
        usage = {"input_tokens": size, "output_tokens": out, "total_tokens": size + out,
                 "input_tokens_details": {"cached_tokens": size // 128 * 96},
                 "output_tokens_details": {"reasoning_tokens": 0}}
        ev = [("response.created", {"response": {"id": rid}})]
        ev += [("response.output_item.done", {"output_index": i, "item": x}) for i, x in enumerate(items)]
        ev.append(("response.completed", {"response": {"id": rid, "object": "response", "status": "completed",
                                                       "output": items, "usage": usage}}))
        self.reply("".join(f"event: {e}\ndata: {json.dumps({'type': e, **d})}\n\n" for e, d in ev),
                   "text/event-stream")


class Gemini(Base):
    def do_POST(self):
        req, s = self.body(), self.script
        s.note(self.path, req)
        if "countTokens" in self.path:
            return self.reply('{"totalTokens": 812}')
        if req.get("generationConfig", {}).get("responseMimeType") == "application/json":
            turn = {"say": json.dumps({"reasoning": "n/a", "next_speaker": "user", "model_choice": "pro",
                                       "complexity_reasoning": "n/a", "complexity_score": 50})}
        elif not req.get("tools"):
            turn = {"say": s.meta.get("title", "svc-order")}
        else:
            turn = s.pop(s.main)
        if "error" in turn:
            return self.reply(json.dumps({"error": {"code": turn["error"], "message": turn["message"],
                                                    "status": "UNAVAILABLE"}}), status=turn["error"])
        parts = [{"text": turn["think"], "thought": True}] if turn.get("think") else []
        parts += [{"text": turn["say"]}] if turn.get("say") else []
        parts += [{"functionCall": {"name": n, "args": a}} for n, a in turn.get("calls", [])]
        size, out = len(json.dumps(req)) // 4, len(json.dumps(parts)) // 4
        answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": size, "candidatesTokenCount": out,
                                    "totalTokenCount": size + out},
                  "modelVersion": self.path.rpartition("/")[2].partition(":")[0]}
        if "streamGenerateContent" in self.path:
            return self.reply("data: " + json.dumps(answer) + "\r\n\r\n", "text/event-stream")
        self.reply(json.dumps(answer))


def serve(handler, script):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("H", (handler,), {"script": script}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
