# Needs curl and jq.
response=$(curl -sS --max-time 10 -X POST "$REELGATE_URL/v1/video/$VIDEO_ID/playback-token" \
  -H "x-service-key: $REELGATE_API_KEY" -H "Content-Type: application/json" \
  -d '{"countries": ["AT", "CH", "DE"], "maxHeight": 720}') || exit 1

echo "$response" | jq -er 'if .success then .data.playerUrl else "\(.error.code): \(.error.message) (\(.error.requestId))\n" | halt_error(1) end'
