# Needs curl and jq. FILE is the path of a video file.
answer() {
  jq -er 'if .success then .data else "\(.error.code): \(.error.message) (\(.error.requestId))\n" | halt_error(1) end'
}
upload=$(curl -sS --max-time 10 "$REELGATE_URL/v1/upload" -H "x-service-key: $REELGATE_API_KEY" \
  -H "Content-Type: application/json" -d '{"title": "Harbour at dawn"}' | answer) || exit 1

curl -sS -T "$FILE" "$(echo "$upload" | jq -r .uploadUrl)" | answer | jq -r .videoId
