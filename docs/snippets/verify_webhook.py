# Python 3.8 or later, without packages.
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE_SEC = 300


def is_genuine(header: str, body: bytes) -> bool:
    parts = [part.partition("=")[::2] for part in header.split(",")]
    at = next((value for name, value in parts if name == "t"), "0")
    if not at.isdecimal() or abs(time.time() - int(at)) > TOLERANCE_SEC:
        return False
    expected = hmac.new(SECRET, at.encode() + b"." + body, hashlib.sha256).hexdigest()
    # While the secret is rotated, there are two v1 values.
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, value in parts)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))  # the raw bytes, not parsed
        genuine = is_genuine(self.headers.get("x-service-signature", ""), body)
        if genuine:
            event = json.loads(body)
            # Skip events whose event["eventId"] you have processed. Put others in a queue, then respond.
            print(event["eventType"], event["eventId"], flush=True)
        self.send_response(200 if genuine else 400)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", 4000))), Receiver).serve_forever()
