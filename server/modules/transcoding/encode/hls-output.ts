/** Returns quality → CODECS from ffmpeg's master playlist; H.264 levels differ between renditions. */
export function readCodecs(master: string): Map<string, string> {
  const found = new Map<string, string>()
  const lines = master.split('\n')
  for (const [at, line] of lines.entries()) {
    const codecs = /CODECS="([^"]+)"/.exec(line)?.[1]
    const quality = /^(\d+p)\.m3u8/.exec(lines[at + 1] ?? '')?.[1]
    if (codecs && quality) found.set(quality, codecs)
  }
  return found
}

export const readDurations = (playlist: string): number[] =>
  [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds))
