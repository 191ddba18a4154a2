# Python 3.8 or later, without packages.
import json
import os
import urllib.error
import urllib.request


def player_url(video_id: str) -> str:
    request = urllib.request.Request(
        f"{os.environ['REELGATE_URL']}/v1/video/{video_id}/playback-token",
        method="POST",
        headers={"x-service-key": os.environ["REELGATE_API_KEY"]},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)["data"]["playerUrl"]
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        raise RuntimeError(f"{error['code']}: {error['message']} ({error['requestId']})") from None


print(player_url(os.environ["VIDEO_ID"]))
