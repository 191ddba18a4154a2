/** Color description of the encoded video (ISO/IEC 23091-2), in ffmpeg's names. */
export interface SourceColors {
  primaries: string
  transfer: string
  matrix: string
  /** The source has no matrix (RGB) and is converted with this one. */
  rgb: boolean
}

/** A video stream as ffprobe describes it. Sizes are as displayed. */
interface Probed {
  width: number
  height: number
  pixelFormat: string | undefined
  primaries: string | undefined
  transfer: string | undefined
  matrix: string | undefined
}

const MATRICES: Record<string, { primaries: string; transfer: string }> = {
  bt709: { primaries: 'bt709', transfer: 'bt709' },
  smpte170m: { primaries: 'smpte170m', transfer: 'smpte170m' },
  bt470bg: { primaries: 'bt470bg', transfer: 'smpte170m' },
  fcc: { primaries: 'bt470m', transfer: 'smpte170m' },
  smpte240m: { primaries: 'smpte240m', transfer: 'smpte240m' },
  bt2020nc: { primaries: 'bt2020', transfer: 'bt2020-10' },
}
const PRIMARIES = ['bt709', 'bt470m', 'bt470bg', 'smpte170m', 'smpte240m', 'film', 'bt2020', 'smpte431', 'smpte432']
const TRANSFERS = ['bt709', 'bt470m', 'bt470bg', 'smpte170m', 'smpte240m', 'linear', 'iec61966-2-1', 'bt2020-10', 'bt2020-12']

/**
 * Returns the colors that every rendition is tagged with. Players guess an untagged picture's colors from its size, so a source without
 * tags would change its colors between renditions. The guess is made once, for the source, with the rule that players share: BT.601 below
 * 1280×577, otherwise BT.709.
 */
export function readColors({ width, height, pixelFormat = '', primaries = '', transfer = '', matrix = '' }: Probed): SourceColors {
  const rgb = isRgb(pixelFormat, matrix)
  const isSmall = Math.max(width, height) < 1_280 && Math.min(width, height) <= 576
  const lines = Math.min(width, height)
  const guessed = rgb || !isSmall ? 'bt709' : lines === 576 || lines === 288 ? 'bt470bg' : 'smpte170m'
  const chosen = !rgb && MATRICES[matrix] ? matrix : guessed
  const usual = MATRICES[chosen] ?? { primaries: chosen, transfer: chosen }
  return {
    matrix: chosen,
    primaries: PRIMARIES.includes(primaries) ? primaries : usual.primaries,
    transfer: TRANSFERS.includes(transfer) ? transfer : usual.transfer,
    rgb,
  }
}

const isRgb = (pixelFormat: string, matrix: string) => matrix === 'gbr' || /^(0?rgb|0?bgr|gbr|argb|abgr|pal8|x2rgb|x2bgr)/.test(pixelFormat)

const HDR_TRANSFERS = { pq: 'smpte2084', hlg: 'arib-std-b67' }
/** Matrices that HDR is kept in, because no filter converts them. */
const HDR_MATRICES = ['bt2020nc', 'bt2020c', 'ictcp', 'bt709']

/** Returns the colors of HDR that is not tone-mapped: its source's, or BT.2100 if it states none. */
export function hdrColors(
  hdr: 'pq' | 'hlg',
  { pixelFormat = '', primaries = '', matrix = '' }: { [Name in 'pixelFormat' | 'primaries' | 'matrix']?: string | undefined },
): SourceColors {
  return {
    primaries: PRIMARIES.includes(primaries) ? primaries : 'bt2020',
    transfer: HDR_TRANSFERS[hdr],
    matrix: HDR_MATRICES.includes(matrix) ? matrix : 'bt2020nc',
    rgb: isRgb(pixelFormat, matrix),
  }
}

/** Colors after tone mapping (`toneMapping`). */
export const SDR_COLORS: SourceColors = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', rgb: false }

/** Returns the filter that tags frames, in limited range. */
export const tagColors = ({ primaries, transfer, matrix }: SourceColors) =>
  `setparams=range=tv:color_primaries=${primaries}:color_trc=${transfer}:colorspace=${matrix}`
