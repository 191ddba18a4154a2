// Decodes pictures with ffmpeg and compares them with libvmaf, as the service did whose receipt is verified.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf'
/** Options with which ffmpeg reads one file and nothing that it names. */
const guarded = (path) => ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-i', `file:${path}`]
const PACKET_BYTES = 188

/** Returns the program if it has libvmaf. */
export async function findScorer(program = 'ffmpeg') {
  const { stdout = '' } = await run(program, ['-hide_banner', '-filters'], { maxBuffer: 16e6 }).catch(() => ({}))
  return / libvmaf /.test(stdout) ? program : undefined
}

/** Returns what x264 states about itself in the first picture of a segment (MPEG-TS); null when it does not. */
export function x264Settings(segment) {
  let pid
  const parts = []
  for (let at = 0; at + PACKET_BYTES <= segment.length; at += PACKET_BYTES) {
    const packet = segment.subarray(at, at + PACKET_BYTES)
    const begins = (packet[1] & 0x40) !== 0
    const payload = packet.subarray(packet[3] & 0x20 ? 5 + packet[4] : 4)
    const own = packet.readUInt16BE(1) & 0x1fff
    if (pid === undefined && begins && payload.length > 4 && payload.readUInt32BE(0) >>> 4 === 0x1e) pid = own
    else if (pid === own && begins) break
    if (pid === own) parts.push(payload)
  }
  const picture = Buffer.concat(parts)
  const from = picture.indexOf('x264 - core ')
  if (from < 0) return null
  const text = picture.subarray(from, from + 2_000)
  const end = text.findIndex((byte) => byte < 0x20 || byte > 0x7e)
  return text.subarray(0, end < 0 ? undefined : end).toString('latin1')
}

/** `init`: the initialization section, where segments are fragmented MP4. Returns the scores of the sample of a chunk: mean, p5 (nearest rank), min and pictures; undefined when ffmpeg cannot compare it. */
export async function compare({ receipt, chunk, plain, init, source, folder, scorer }) {
  const [encoded, log] = [join(folder, init ? 'chunk.mp4' : 'chunk.ts'), join(folder, 'vmaf.json')]
  await writeFile(encoded, Buffer.concat(init ? [init, ...plain] : plain))
  await writeFile(log, '')
  const { videoStream, startsWith } = receipt.source
  const sample = sampleFilters(chunk, receipt.method.display)
  const graph = [
    `[0:v]${sample}[encoded]`,
    `[1:${videoStream}]${chunk.filter},${sample}[original]`,
    `[encoded][original]libvmaf=log_fmt=json:log_path=${log}:n_threads=1:shortest=0:repeatlast=0[out]`,
  ]
  const seek = chunk.seekSec === null ? [] : ['-copyts', '-start_at_zero', '-noaccurate_seek', '-ss', chunk.seekSec.toFixed(6)]
  const also = startsWith.flatMap((stream) => ['-map', `1:${stream}`])
  const args = [
    ...['-nostdin', '-hide_banner', '-y', '-v', 'error'],
    ...['-f', init ? 'mov' : 'mpegts', ...guarded(encoded)],
    ...[...seek, ...guarded(source)],
    ...['-filter_complex', graph.join(';'), '-map', '[out]', '-f', 'null', '-'],
    ...(also.length > 0 ? [...also, '-c', 'copy', '-f', 'null', '-'] : []),
  ]
  const isDone = await run(scorer, args, { maxBuffer: 16e6 }).then(
    () => true,
    () => false,
  )
  if (!isDone) return undefined
  const { frames } = JSON.parse(await readFile(log, 'utf8'))
  return qualityOf(frames.map(({ metrics }) => metrics.vmaf))
}

function sampleFilters({ pairs, frames }, { width, height }) {
  const wanted = pairs.map((start) => `between(n,${Number(start)},${Number(start) + 1})`).join('+')
  const count = pairs.length * Math.min(2, frames)
  return [
    `select='${wanted}'`,
    ...['settb=1/10', 'setpts=N', 'fps=10', `trim=end_frame=${count}`],
    ...[`scale=${Number(width)}:${Number(height)}:flags=bicubic:out_range=tv`, 'setsar=1', 'format=yuv420p'],
  ].join(',')
}

function qualityOf(scores) {
  const sorted = scores.toSorted((a, b) => a - b)
  const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length
  return { mean, p5: sorted[Math.ceil(sorted.length * 0.05) - 1], min: sorted[0], pictures: sorted.length }
}
