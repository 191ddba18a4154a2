interface Frame {
  parent: unknown
  location: Pick<Location, 'host'> & { ancestorOrigins?: ArrayLike<string> | undefined }
}

/** What the service accepts as a host (viewing-schema.ts). Of a report with another one it would count nothing. */
const HOST = /^(?=.{1,253}$)(?:[\w-][\w.-]*|\[[\da-f:.]+\])(?::\d+)?$/

/**
 * Returns the host of the outermost page around the player: `(direct)` when the player is a page of its own, `(unknown)` when the browser
 * does not say. Chromium and Safari list the pages around a frame; Firefox names the one that contains it as its referrer.
 */
export function pageHost(frame: Frame, referrer: string): string {
  if (frame.parent === frame) return '(direct)'
  const { ancestorOrigins } = frame.location
  const origin = ancestorOrigins?.length ? ancestorOrigins[ancestorOrigins.length - 1] : referrer
  try {
    // A page from a file or a sandboxed frame has no host.
    const host = new URL(origin ?? '').host.toLowerCase()
    return HOST.test(host) ? host : '(unknown)'
  } catch {
    return '(unknown)'
  }
}
