/** A usual picture in AV1. Renditions of other sizes are not asked about: a device that decodes this one smoothly decodes lower ones. */
const PICTURE = { contentType: 'video/mp4; codecs="av01.0.08M.08"', width: 1920, height: 1080, bitrate: 2_500_000, framerate: 30 }

/** Returns whether this browser decodes AV1 without dropping pictures. One that does not say so is given H.264. */
export async function decodesAv1Smoothly(): Promise<boolean> {
  try {
    const { supported, smooth } = await navigator.mediaCapabilities.decodingInfo({ type: 'media-source', video: PICTURE })
    return supported && smooth
  } catch {
    return false
  }
}
