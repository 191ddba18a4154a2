# Needs curl, and a key with viewer:write.
curl -sS --max-time 10 -X POST "$REELGATE_URL/v1/viewer/student-42/end" -H "x-service-key: $REELGATE_API_KEY"
