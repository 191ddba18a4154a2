/** Dynamic ranges, by the names of `VIDEO-RANGE`. */
export type DynamicRange = 'SDR' | 'PQ' | 'HLG'

/** A usual rendition. Others are not tested: a device that decodes this one smoothly decodes lower ones. */
const RENDITION = { width: 1920, height: 1080, bitrate: 2_500_000, framerate: 30 }
/** AV1 of 8 bits, and of 10 bits with the colours of BT.2100. */
const CODECS: Record<DynamicRange, string> = {
  SDR: 'av01.0.08M.08',
  PQ: 'av01.0.08M.10.0.110.09.16.09.0',
  HLG: 'av01.0.08M.10.0.110.09.18.09.0',
}
const LIGHT = {
  SDR: {},
  PQ: { colorGamut: 'rec2020', transferFunction: 'pq' },
  HLG: { colorGamut: 'rec2020', transferFunction: 'hlg' },
} as const
/** A screen that shows HDR, or one that shows video in HDR while it shows pages in SDR. */
const HDR_SCREEN = '(dynamic-range: high), (video-dynamic-range: high)'

/**
 * Returns the dynamic ranges in which this browser decodes AV1 without dropping frames and which its screen shows. One that does not say so
 * is given H.264, and where it is not said of HDR, SDR.
 */
export async function smoothAv1(): Promise<DynamicRange[]> {
  if (!(await isSmooth('SDR'))) return []
  const hdr = matchMedia(HDR_SCREEN).matches ? (['PQ', 'HLG'] as const) : []
  const found = await Promise.all(hdr.map(async (range) => ((await isSmooth(range)) ? [range] : [])))
  return ['SDR', ...found.flat()]
}

async function isSmooth(range: DynamicRange): Promise<boolean> {
  try {
    const wanted = { contentType: `video/mp4; codecs="${CODECS[range]}"`, ...RENDITION, ...LIGHT[range] }
    const { supported, smooth } = await navigator.mediaCapabilities.decodingInfo({ type: 'media-source', video: wanted })
    return supported && smooth
  } catch {
    return false
  }
}
