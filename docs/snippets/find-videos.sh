# Needs curl and jq. COURSE is the value of "course" in the metadata of each video.
cursor=""
while true; do
  page=$(curl -sS --max-time 10 -G "$REELGATE_URL/v1/video" -H "x-service-key: $REELGATE_API_KEY" \
    --data-urlencode "metadata[course]=$COURSE" -d status=COMPLETED -d limit=100 ${cursor:+-d "cursor=$cursor"}) || exit 1
  echo "$page" | jq -er 'if .success then .data[] | "\(.id) \(.title)" else "\(.error.code): \(.error.message) (\(.error.requestId))\n" | halt_error(1) end' || exit 1
  cursor=$(echo "$page" | jq -r '.pagination.nextCursor // ""')
  [ -n "$cursor" ] || break
done
