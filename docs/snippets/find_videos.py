# Python 3.8 or later, without packages.
import json
import os
import urllib.error
import urllib.parse
import urllib.request


def videos_of(course: str):
    """Yields every video of a course, newest first. The metadata of each video names its course."""
    query = {"metadata[course]": course, "status": "COMPLETED", "limit": 100}
    while True:
        request = urllib.request.Request(
            f"{os.environ['REELGATE_URL']}/v1/video?{urllib.parse.urlencode(query)}",
            headers={"x-service-key": os.environ["REELGATE_API_KEY"]},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                page = json.load(response)
        except urllib.error.HTTPError as refused:
            error = json.load(refused)["error"]
            raise RuntimeError(f"{error['code']}: {error['message']} ({error['requestId']})") from None
        yield from page["data"]
        if not page["pagination"]["hasMore"]:
            return
        query["cursor"] = page["pagination"]["nextCursor"]


for video in videos_of(os.environ["COURSE"]):
    print(video["id"], video["title"])
