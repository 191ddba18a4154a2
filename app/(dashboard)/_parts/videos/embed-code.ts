/** The choices of the embed builder. Empty texts: the player's default. `width` in pixels; null: as wide as its place. */
export interface EmbedOptions {
  autoplay: boolean
  muted: boolean
  loop: boolean
  title: boolean
  /** A time as the player reads it: 90 or 1:30. */
  start: string
  lang: string
  captions: string
  transcript: boolean
  /** Six hexadecimal digits after `#`. */
  color: string
  width: number | null
}

/** What a frame of the player may use. */
export const ALLOW = 'autoplay; fullscreen; picture-in-picture; encrypted-media'

interface Embedded {
  videoId: string
  sdkUrl: string
  /** Width / height, as CSS writes it. */
  ratio: string
  options: EmbedOptions
}

/** Returns parameters and their values, in the order of the documentation; a flag has no value. */
function chosen({
  start,
  autoplay,
  muted,
  loop,
  color,
  title,
  captions,
  transcript,
  lang,
}: EmbedOptions): [name: string, attribute: string, value: string][] {
  const flags = Object.entries({ autoplay, muted, loop, transcript }).flatMap(([name, on]) => (on ? [[name, name, ''] as const] : []))
  const texts = [
    ['t', 'start', start],
    ['color', 'color', color.replace('#', '')],
    ['title', 'show-title', title ? '' : '0'],
    ['captions', 'captions', captions],
    ['lang', 'lang', lang],
  ] as const
  return [...flags, ...texts.filter(([, , value]) => value !== '')].map(([name, attribute, value]) => [name, attribute, value])
}

/** Returns the parameters to append to a player's address, without the token: `autoplay=1&t=1:30`. */
export const parametersOf = (options: EmbedOptions): string =>
  chosen(options)
    .map(([name, , value]) => `${name}=${encodeURIComponent(value || '1').replaceAll('%3A', ':')}`)
    .join('&')

const styleOf = (width: number | null, ratio: string) =>
  `${width === null ? 'width: 100%' : `width: ${width}px; max-width: 100%`}; aspect-ratio: ${ratio}`

/** Returns the player in a frame. */
export function frameCode({ videoId, sdkUrl, ratio, options }: Embedded): string {
  const parameters = parametersOf(options).replaceAll('&', '&amp;')
  return `<iframe src="${sdkUrl}/embed/${videoId}?token=<PLAYBACK_TOKEN>${parameters && `&amp;${parameters}`}"
  allow="${ALLOW}"
  style="${styleOf(options.width, ratio)}; border: 0"></iframe>`
}

/** Returns the player as an element. */
export function elementCode({ videoId, sdkUrl, ratio, options }: Embedded): string {
  const attributes = chosen(options).map(([, name, value]) => (value ? ` ${name}="${value}"` : ` ${name}`))
  const style = options.width === null ? '' : ` style="${styleOf(options.width, ratio)}"`
  return `<script async src="${sdkUrl}/player/reelgate-player.js"></script>
<reelgate-player video-id="${videoId}" token="<PLAYBACK_TOKEN>"${attributes.join('')}${style}></reelgate-player>`
}
