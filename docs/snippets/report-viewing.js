// masterPlaylistUrl comes from the manifest; session is 32 random hexadecimal digits, new for each view.
const [, permit] = /\/([^/]+)\/master\.m3u8/.exec(masterPlaylistUrl)
const report = { permit, session, startupMs: 480, watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [0] }
navigator.sendBeacon(`${serviceUrl}/embed/${videoId}/beacon`, JSON.stringify(report))
