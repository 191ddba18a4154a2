import { type Attack, ask, type Target } from './target.ts'

const CHARACTERS = 2_000_000
const CUE = '00:00:00.000 --> 00:00:03.900\nA line as long as lines of captions are.\n\n'

/** The longest file of captions that is accepted. */
const longest = `WEBVTT\n\n${CUE.repeat(Math.floor((CHARACTERS - 8) / CUE.length))}`
const withoutCues = 'WEBVTT\n\n'.padEnd(CHARACTERS, 'a\n')
/** Marks of two classes in turn, which Unicode's normal forms sort. */
const marks = `WEBVTT\n\n00:00.000 --> 00:03.900\na${'\u0301\u0327'.repeat(200_000)}\n`

const uploads = (name: string, text: () => string): Attack => ({
  name,
  workers: 64,
  async once(target, at, signal) {
    const asked = { method: 'PUT', headers: { 'content-type': 'text/vtt' }, body: `${text()}\n${at}` }
    return (await ask(target, `/v1/video/${target.videoId}/captions/en`, asked, signal)).status
  },
})

/** Uploads captions of 2 MB: some that are stored, some without a cue, which are refused once read, and hostile ones. */
export const captionUploads = uploads('captions of 2 MB, 64 connections', () => longest.slice(0, -10))
export const refusedCaptions = uploads('refused captions of 2 MB, 64 connections', () => withoutCues.slice(0, -10))
export const markedCaptions = uploads('captions of marks, 64 connections', () => marks)

let file: Promise<string> | undefined

/** Opens a playback session. Returns the path of its captions. */
async function fileOf(target: Target, signal: AbortSignal): Promise<string> {
  const stored = await ask(
    target,
    `/v1/video/${target.videoId}/captions/en`,
    { method: 'PUT', headers: { 'content-type': 'text/vtt' }, body: longest.slice(0, -10) },
    signal,
  )
  if (stored.status !== 200) throw new Error(`The captions were not stored: ${stored.status} ${stored.body}`)
  const issued = await ask(target, `/v1/video/${target.videoId}/playback-token`, { method: 'POST' }, signal)
  const { token } = (JSON.parse(issued.body) as { data: { token: string } }).data
  const manifest = await ask(target, `/v1/video/playback/manifest/${token}`, {}, signal)
  const { masterPlaylistUrl } = (JSON.parse(manifest.body) as { data: { masterPlaylistUrl: string } }).data
  return new URL('captions-en.vtt', new URL(masterPlaylistUrl, target.base)).pathname
}

/** One viewer who reads captions of 2 MB, on as many connections as a browser opens. */
export const captionReads: Attack = {
  name: 'a viewer of captions of 2 MB, 6 connections',
  workers: 6,
  async once(target, _at, signal) {
    file ??= fileOf(target, signal)
    const path = await file.catch((error: Error) => {
      file = undefined
      throw error
    })
    return (await ask(target, path, {}, signal)).status
  },
}
