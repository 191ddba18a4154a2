// Playlists, segments and keys behind a manifest (specification §4.4).
import { issue } from './tokens.mjs'

const lines = (playlist) => playlist.split(/\r?\n/).filter((line) => line !== '')
const addresses = (playlist, base) =>
  lines(playlist)
    .filter((line) => !line.startsWith('#'))
    .map((line) => new URL(line, base).href)

/** Checks a playlist's headers: revalidated on each request, readable from any origin. */
function playlist(seen, response, name) {
  seen.equal(`status of the ${name}`, response.status, 200)
  const about = { ...response, method: 'GET', path: name }
  seen.header(about, 'cache-control', 'no-cache')
  seen.header(about, 'access-control-allow-origin', '*')
  seen.header(about, 'content-type', /mpegurl/i)
  seen.equal(`first line of the ${name}`, lines(response.text)[0], '#EXTM3U')
}

export const deliveryChecks = [
  {
    id: 'delivery.chain',
    section: '4.4',
    title: 'Master playlist → variant → key and segment, with cache headers and working AES-128 decryption',
    needs: ['video', 'delivery'],
    async run(seen, ctx) {
      const token = (await issue(ctx, ctx.video.id)).json?.data?.token
      const manifest = (await ctx.client.request(`/v1/video/playback/manifest/${token}`)).json?.data
      const master = await ctx.client.fetch(manifest.masterPlaylistUrl)
      playlist(seen, master, 'master playlist')
      const variants = addresses(master.text, manifest.masterPlaylistUrl)
      seen.equal('variants', variants.length, manifest.qualities.length)
      for (const address of variants) await variant(seen, ctx, address, manifest.encrypted)
    },
  },
]

async function variant(seen, ctx, address, encrypted) {
  const media = await ctx.client.fetch(address)
  playlist(seen, media, 'variant playlist')
  seen.equal('last line of the variant', lines(media.text).at(-1), '#EXT-X-ENDLIST')
  const [first] = addresses(media.text, address)
  const segment = await ctx.client.fetch(first)
  const about = { ...segment, method: 'GET', path: 'segment' }
  seen.equal('status of a segment', segment.status, 200)
  seen.header(about, 'cache-control', 'public, max-age=31536000, immutable')
  seen.header(about, 'access-control-allow-origin', '*')
  const tag = /#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)"/.exec(media.text)
  seen.equal('EXT-X-KEY is present', tag !== null, encrypted)
  if (!tag) return
  const keyUrl = new URL(tag[1], address).href
  const key = await ctx.client.fetch(keyUrl)
  seen.equal('status of the key', key.status, 200)
  seen.equal('length of the key', key.bytes.length, 16)
  seen.header({ ...key, method: 'GET', path: 'key' }, 'cache-control', 'no-store')
  seen.header({ ...key, method: 'GET', path: 'key' }, 'access-control-allow-origin', '*')
  seen.that('segment', segment.bytes[0] !== 0x47 || segment.bytes[188] !== 0x47, 'encrypted', 'plain MPEG-TS')
  const plain = await decrypt(segment.bytes, key.bytes, Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(media.text)?.[1] ?? 0))
  seen.equal('decrypted segment, sync bytes', [plain?.[0], plain?.[188]], [0x47, 0x47])
  const unsigned = new URL(keyUrl)
  for (const name of [...unsigned.searchParams.keys()]) unsigned.searchParams.set(name, 'x')
  const refused = await ctx.client.fetch(unsigned.href)
  seen.that('a key URL with another signature', refused.status >= 400 && refused.status < 500, 'refused', refused.status)
}

/** Decrypts AES-128-CBC; without an IV attribute the IV is the media sequence number (RFC 8216 §5.2). */
async function decrypt(bytes, key, sequence) {
  const { createDecipheriv } = await import('node:crypto')
  const iv = Buffer.alloc(16)
  iv.writeUInt32BE(sequence, 12)
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, iv)
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch {
    return undefined
  }
}
