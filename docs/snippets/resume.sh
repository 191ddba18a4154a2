# Needs curl and jq, and a key with video:read and viewer:read.
ask() {
  curl -sS --max-time 10 -H "x-service-key: $REELGATE_API_KEY" -H "Content-Type: application/json" "$@" |
    jq -e 'if .success then .data else "\(.error.code): \(.error.message) (\(.error.requestId))\n" | halt_error(1) end'
}

token=$(ask -X POST "$REELGATE_URL/v1/video/$VIDEO_ID/playback-token" -d '{"viewer": {"id": "student-42"}, "resume": true}') || exit 1
echo "$token" | jq -r .playerUrl
viewer=$(ask "$REELGATE_URL/v1/viewer/student-42?limit=20") || exit 1
echo "$viewer" | jq -r '.videos[] | select(.completedAt == null) | "\(.videoId) \(.positionSec | floor) of \(.durationSec) s"'
