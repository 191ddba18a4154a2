import { expect, it } from 'vitest'
import { decryptSegment } from '../../../server/modules/transcoding/encode/segment-store.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()

const text = async (url: string) => {
  const response = await fetch(url)
  expect([url, response.status]).toEqual([url, 200])
  return response.text()
}
const bytes = async (url: string, init?: RequestInit) => Buffer.from(await (await fetch(url, init)).arrayBuffer())

it('a token of vid_test_completed plays encrypted pictures and sound', async () => {
  const { value } = await makeKey(await makeAccount(), { environment: 'TEST' })
  const issue = `${baseUrl}/v1/video/vid_test_completed/playback-token`
  const { data: issued } = await (await fetch(issue, { method: 'POST', headers: { 'x-service-key': value } })).json()
  const { data } = await (await fetch(`${baseUrl}/v1/video/playback/manifest/${issued.token}`)).json()
  expect(data.qualities).toEqual(['720p', '480p', '360p', '240p'])

  const master = await text(data.masterPlaylistUrl)
  const playlists = [...master.matchAll(/^\w.*\.m3u8$|(?<=URI=")[^"]+\.m3u8/gm)].map(([file]) => file)
  expect(playlists.sort()).toEqual(['240p.m3u8', '360p.m3u8', '480p.m3u8', '720p.m3u8', 'audio-0.m3u8'])
  for (const file of playlists) {
    const playlist = await text(new URL(file, data.masterPlaylistUrl).href)
    const seconds = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, one]) => sum + Number(one), 0)
    expect([file, Math.round(seconds)]).toEqual([file, 20])
    const key = await bytes(/URI="([^"]+)"/.exec(playlist)?.[1] as string)
    const segments = [...playlist.matchAll(/^http\S+\.ts$/gm)].map(([url]) => url)
    for (const [sequence, url] of segments.entries()) {
      const stored = await bytes(url)
      const plain = decryptSegment(stored, key, sequence)
      // Packets of MPEG-TS.
      expect([plain.byteLength % 188, plain[0], stored[0] === 0x47 && stored[188] === 0x47]).toEqual([0, 0x47, false])
      expect(await bytes(url, { headers: { range: 'bytes=10-19' } })).toEqual(stored.subarray(10, 20))
    }
    expect(segments).toHaveLength(5)
  }
})

it('its media is not open without a token, nor for a key of another environment', async () => {
  const forged = `${baseUrl}/cdn/hls/vid_test_completed/x/master.m3u8`
  expect((await fetch(forged)).status).not.toBe(200)
  expect((await fetch(`${baseUrl}/cdn/segments/vid_test_completed/${'0'.repeat(32)}.ts`)).status).toBe(404)
  const { value } = await makeKey(await makeAccount())
  const live = await fetch(`${baseUrl}/v1/video/vid_test_completed/playback-token`, { method: 'POST', headers: { 'x-service-key': value } })
  expect(live.status).toBe(404)
})

/** Exchanges a token that names a viewer, issued by a key of this environment. */
async function exchangeAs(viewer: string, environment: 'TEST' | 'LIVE', videoId?: string) {
  const owner = await makeAccount()
  const { value } = await makeKey(owner, { environment })
  const video = videoId ?? (await makeVideo(owner, { qualities: ['720p', '360p'] }))
  const headers = { 'x-service-key': value, 'content-type': 'application/json' }
  const body = JSON.stringify({ viewer: { id: viewer }, maxSessions: 3, onLimit: 'end-oldest' })
  const issued = await fetch(`${baseUrl}/v1/video/${video}/playback-token`, { method: 'POST', headers, body })
  const { data } = await issued.json()
  const exchanged = await fetch(`${baseUrl}/v1/video/playback/manifest/${data.token}`)
  const answer = await exchanged.json()
  const details = answer.error?.details
  return { status: exchanged.status, reason: details?.reason, details, manifest: answer.data }
}

it.each([
  ['test_country', 'COUNTRY'],
  ['test_address', 'ADDRESS'],
  ['test_sessions', 'SESSIONS'],
])('a test key that names the viewer %s has the exchange refused with %s; a live key has not', async (viewer, reason) => {
  expect(await exchangeAs(viewer, 'TEST', 'vid_test_completed')).toMatchObject({ status: 403, reason })
  expect(await exchangeAs(viewer, 'TEST')).toMatchObject({ status: 403, reason })
  expect(await exchangeAs(viewer, 'LIVE')).toMatchObject({ status: 200 })
  expect(await exchangeAs('student-42', 'TEST', 'vid_test_completed')).toMatchObject({ status: 200 })
})

it('the refusal of the viewer test_sessions has the numbers of a real one', async () => {
  expect((await exchangeAs('test_sessions', 'TEST')).details).toEqual({ reason: 'SESSIONS', maxSessions: 1, sessions: 1 })
})

it('a test key that names the viewer test_height has the playlists of higher renditions refused', async () => {
  const { manifest } = await exchangeAs('test_height', 'TEST', 'vid_test_completed')
  expect(manifest.qualities).toEqual(['240p'])
  expect(await text(manifest.masterPlaylistUrl)).not.toContain('360p.m3u8')
  const refused = await fetch(new URL('360p.m3u8', manifest.masterPlaylistUrl))
  expect([refused.status, (await refused.json()).error.details.reason]).toEqual([403, 'HEIGHT'])
  const lowest = await text(new URL('240p.m3u8', manifest.masterPlaylistUrl).href)
  const key = /URI="([^"]+)"/.exec(lowest)?.[1] as string
  expect((await fetch(key)).status).toBe(200)
  expect((await fetch(key.replace('stream=240p', 'stream=360p'))).status).toBe(401)
})
