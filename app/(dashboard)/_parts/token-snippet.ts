/** The call that issues a playback token, ready to paste. */
export const tokenSnippet = (baseUrl: string, videoId: string) =>
  `curl -X POST ${baseUrl}/v1/video/${videoId}/playback-token \\\n  -H "x-service-key: <API_KEY>"`
