# Needs curl, and a key with viewer:write.
curl -sS --max-time 10 --fail-with-body -X DELETE "$REELGATE_URL/v1/viewer/student-42" \
  -H "x-service-key: $REELGATE_API_KEY" -o student-42.receipt.json
