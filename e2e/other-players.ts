import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** What a page of another site's player offers to its test. */
export interface InPage {
  /** Languages of its audio tracks. */
  audio(): string[]
  captions(): string[]
  chooseAudio(language: string): void
  showCaptions(): void
  /** Texts of captions in the picture that it has shown or will show. */
  closedCaptions(): string[]
  /** Scans the video by its playlist of key frames. */
  scan?(): void
  /** Width of the picture that it shows while it scans, in pixels. */
  scannedWidth?(): number
  problems: string[]
}

const FILES = { hlsjs: 'hls.js/dist/hls.js', shaka: 'shaka-player/dist/shaka-player.compiled.js', vhs: 'video.js/dist/video.js' } as const
export type PlayerName = keyof typeof FILES
export const PLAYER_NAMES = Object.keys(FILES) as PlayerName[]

/** Scripts that start each player on `video` with `address` and set `inPage`. */
const START: Record<PlayerName, string> = {
  hlsjs: `
    const hls = new Hls()
    const { BUFFER_SEEK_OVER_HOLE, BUFFER_STALLED_ERROR, INTERNAL_ABORTED } = Hls.ErrorDetails
    hls.on(Hls.Events.ERROR, (_, { details, error, buffer }) => {
      // hls.js says so of a picture whose sound is not there yet, and of what is on its way when another track is chosen.
      if (details === 'bufferAppendNoProgress' || details === INTERNAL_ABORTED) return
      // A busy machine decodes too slowly what the browser has received.
      if (details === BUFFER_STALLED_ERROR && buffer > 1) return
      // It takes the first decoding time for zero: the picture begins two reordered frames later. Where Chromium does not skip them
      // in time, hls.js does, and says so.
      if (details === BUFFER_SEEK_OVER_HOLE && video.currentTime < 0.2) return
      problems.push(details + ' ' + error.message)
    })
    hls.loadSource(address)
    hls.attachMedia(video)
    Object.assign(inPage, {
      audio: () => hls.audioTracks.map(({ lang }) => lang),
      captions: () => hls.subtitleTracks.map(({ lang }) => lang),
      chooseAudio: (wanted) => { hls.audioTrack = hls.audioTracks.findIndex(({ lang }) => lang === wanted) },
      showCaptions: () => { hls.subtitleTrack = 0; hls.subtitleDisplay = true },
      closedCaptions: () => nativeCues(),
      scan: () => {
        if (!inPage.scanner) {
          inPage.scanner = hls.createIFramePlayer()
          inPage.scanner.on(Hls.Events.ERROR, (_, { details, error }) => problems.push('scan ' + details + ' ' + error.message))
          inPage.scanner.attachMedia(second)
        }
        inPage.scanner.loadMediaAt(9)
      },
      scannedWidth: () => second.videoWidth,
    })`,
  shaka: `
    shaka.polyfill.installAll()
    const player = new shaka.Player()
    player.addEventListener('error', ({ detail }) => problems.push('error ' + detail.code))
    player.attach(video).then(() => player.load(address)).catch((error) => problems.push('load ' + error.code))
    Object.assign(inPage, {
      audio: () => player.getAudioTracks().map(({ language }) => language),
      captions: () => player.getTextTracks().map(({ language }) => language),
      chooseAudio: (wanted) => player.selectAudioTrack(player.getAudioTracks().find(({ language }) => language === wanted)),
      showCaptions: () => player.selectTextTrack(player.getTextTracks()[0]),
      closedCaptions: () => {
        const [track] = player.getTextTracks()
        if (track && !track.active) player.selectTextTrack(track)
        return nativeCues()
      },
      scan: () => player.trickPlay(4),
      scannedWidth: () => video.videoWidth,
    })`,
  vhs: `
    const player = videojs(video, { html5: { vhs: { overrideNative: true } } })
    player.on('error', () => problems.push('error ' + player.error().message))
    player.src({ src: address, type: 'application/vnd.apple.mpegurl' })
    // The lists of video.js are array-like only.
    const list = (tracks) => Array.from({ length: tracks.length }, (_, at) => tracks[at])
    const captions = () => list(player.textTracks()).filter(({ kind }) => kind === 'subtitles')
    Object.assign(inPage, {
      audio: () => list(player.audioTracks()).map(({ language }) => language),
      captions: () => captions().map(({ language }) => language),
      chooseAudio: (wanted) => { for (const track of list(player.audioTracks())) track.enabled = track.language === wanted },
      showCaptions: () => { captions()[0].mode = 'showing' },
      closedCaptions: () => {
        for (const track of list(player.textTracks())) if (track.kind === 'captions') track.mode = 'showing'
        return list(player.textTracks()).flatMap((track) => textsOf(track))
      },
    })`,
}

const page = (name: PlayerName) => `<!doctype html>
<link rel="icon" href="data:,">
<video id="video" width="426" height="240" muted preload="auto" crossorigin="anonymous"></video>
<script src="/${name}.js"></script>
<script>
  const video = document.querySelector('video')
  const address = new URLSearchParams(location.search).get('address')
  const problems = []
  const inPage = { problems }
  const second = document.createElement('video')
  const textsOf = (track) => Array.from(track.cues ?? []).map(({ text }) => text.replace(/<[^>]*>/g, '').trim())
  const nativeCues = () => Array.from(video.textTracks).flatMap((track) => {
    if (track.mode === 'disabled') track.mode = 'hidden'
    return textsOf(track)
  })
  window.inPage = inPage
  ${START[name]}
</script>`

/** Serves a page for each player, on an origin of its own, as the site of a customer has. */
export async function serveOtherPlayers(): Promise<{ server: Server; addressOf(name: PlayerName, master: string): string }> {
  const server = createServer(({ url = '/' }, response) => {
    const [, name, kind] = /^\/(\w+)\.(html|js)/.exec(url) ?? []
    const player = PLAYER_NAMES.find((one) => one === name)
    if (!player) return response.writeHead(404).end()
    if (kind === 'html') return response.setHeader('Content-Type', 'text/html').end(page(player))
    response.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(import.meta.dirname, '../node_modules', FILES[player])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, addressOf: (name, master) => `http://127.0.0.1:${port}/${name}.html?address=${encodeURIComponent(master)}` }
}
