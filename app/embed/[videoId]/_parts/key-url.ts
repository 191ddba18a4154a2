/** Returns the playlist's key with the path of `wanted`, ignoring the signature; otherwise its first key. */
export function keyUrlIn(playlist: string, base: string, wanted: string): string | undefined {
  const urls = [...playlist.matchAll(/^#EXT-X-KEY:.*?URI="([^"]+)"/gm)].map(([, uri]) => new URL(uri as string, base))
  return (urls.find(({ pathname }) => pathname === new URL(wanted).pathname) ?? urls[0])?.href
}
