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
  problems: string[]
}

const FILES = { hlsjs: 'hls.js/dist/hls.js', shaka: 'shaka-player/dist/shaka-player.compiled.js', vhs: 'video.js/dist/video.js' } as const
export type PlayerName = keyof typeof FILES
export const PLAYER_NAMES = Object.keys(FILES) as PlayerName[]

/** Scripts that start each player on `video` with `address` and set `inPage`. */
const START: Record<PlayerName, string> = {
  hlsjs: `
    const hls = new Hls()
    hls.on(Hls.Events.ERROR, (_, { details, error }) => {
      // hls.js says so of a picture whose sound is not there yet.
      if (details !== 'bufferAppendNoProgress') problems.push(details + ' ' + error.message)
    })
    hls.loadSource(address)
    hls.attachMedia(video)
    Object.assign(inPage, {
      audio: () => hls.audioTracks.map(({ lang }) => lang),
      captions: () => hls.subtitleTracks.map(({ lang }) => lang),
      chooseAudio: (wanted) => { hls.audioTrack = hls.audioTracks.findIndex(({ lang }) => lang === wanted) },
      showCaptions: () => { hls.subtitleTrack = 0; hls.subtitleDisplay = true },
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
    })`,
}

const page = (name: PlayerName) => `<!doctype html>
<video id="video" width="426" height="240" muted crossorigin="anonymous"></video>
<script src="/${name}.js"></script>
<script>
  const video = document.querySelector('video')
  const address = new URLSearchParams(location.search).get('address')
  const problems = []
  const inPage = { problems }
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
