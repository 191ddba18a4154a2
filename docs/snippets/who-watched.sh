# Needs curl and jq, and a key with viewer:read.
cursor=""
while true; do
  page=$(curl -sS --max-time 10 -G "$REELGATE_URL/v1/video/$VIDEO_ID/viewers" -H "x-service-key: $REELGATE_API_KEY" \
    -d limit=1000 ${cursor:+--data-urlencode "cursor=$cursor"}) || exit 1
  echo "$page" | jq -r 'if .success then .data[] |
    "\(.viewerId) \(100 * .watchedSec / .durationSec | floor) % \(if .completedAt then "completed \(.completedAt[:10])" else "not completed" end)"
    else "\(.error.code): \(.error.message) (\(.error.requestId))\n" | halt_error(1) end' || exit 1
  cursor=$(echo "$page" | jq -r '.pagination.nextCursor // ""')
  [ -n "$cursor" ] || break
done
