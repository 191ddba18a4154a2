/** The origins that pages may load from, besides their own. */
export interface PolicySources {
  nonce: string
  /** Posters and previews. */
  cdn: string
  /** The player, in a frame. */
  sdk: string
  https: boolean
  /** Next's development server evaluates code and uses a WebSocket. */
  dev: boolean
}

/**
 * Returns the Content-Security-Policy of a page. Allows scripts by the request's nonce and what those load, and styles by nonce. Style
 * attributes are allowed because components write positions and sizes in them.
 */
export function pagePolicy({ nonce, cdn, sdk, https, dev }: PolicySources): string {
  const policy = {
    'default-src': "'self'",
    'script-src': `'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ''}`,
    'style-src': dev ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`,
    'style-src-attr': "'unsafe-inline'",
    'img-src': `'self' data: blob: ${originOf(cdn)}`,
    'font-src': "'self'",
    'connect-src': `'self'${dev ? ' ws:' : ''}`,
    'frame-src': `'self' ${originOf(sdk)}`,
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  }
  const lines = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`)
  return [...lines, ...(https ? ['upgrade-insecure-requests'] : [])].join('; ')
}

const originOf = (address: string) => new URL(address).origin
