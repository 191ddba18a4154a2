/** H.264 profiles by their number in hexadecimal digits (RFC 6381). */
const PROFILES: Record<string, string> = { '42': 'Baseline', '4d': 'Main', '58': 'Extended', '64': 'High', '6e': 'High 10' }

const NAMES: [pattern: RegExp, name: string][] = [
  [/^(hvc1|hev1)/, 'HEVC'],
  [/^av01/, 'AV1'],
  [/^vp09/, 'VP9'],
  [/^mp4a\.40/, 'AAC'],
  [/^ac-3/, 'Dolby Digital'],
  [/^ec-3/, 'Dolby Digital Plus'],
  [/^opus/i, 'Opus'],
]

function nameOf(codec: string): string {
  const [, profile = '', level = ''] = /^avc1\.([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})$/i.exec(codec) ?? []
  if (profile) return `H.264 ${PROFILES[profile.toLowerCase()] ?? ''} ${(Number.parseInt(level, 16) / 10).toFixed(1)}`.replace('  ', ' ')
  return NAMES.find(([pattern]) => pattern.test(codec))?.[1] ?? codec
}

/** Returns the codecs of a rendition in words: `avc1.64001f,mp4a.40.2` is H.264 High 3.1, AAC. An unknown one stays as it is. */
export const codecNames = (codecs: string): string =>
  codecs
    .split(',')
    .map((one) => nameOf(one.trim()))
    .join(', ')
