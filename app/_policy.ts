/** Where pages may take things from, beside their own origin. */
export interface PolicySources {
  nonce: string
  /** Posters and previews. */
  cdn: string
  /** The player, in a frame. */
  sdk: string
  https: boolean
  /** Next's development server evaluates code and speaks over a socket. */
  dev: boolean
}

/**
 * The Content-Security-Policy of a page of ours. Scripts run by the request's nonce and by what they load; styles by nonce, but for style
 * attributes, in which components write positions and sizes.
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
