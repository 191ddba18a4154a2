import { registerHooks } from 'node:module'

/**
 * The real server with playback tokens signed and verified through jose (bench/servers/token-jose.ts), to measure its cost. jose returns
 * promises alone, so the exchange has to await it.
 */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const isOurs = context.parentURL?.endsWith('/bench/servers/token-jose.ts')
    return !isOurs && found.url.endsWith('/server/modules/playback/token.ts')
      ? { ...found, url: new URL('token-jose.ts', import.meta.url).href }
      : found
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/server/modules/playback/exchange.ts')) return loaded
    const text = String(loaded.source)
    const waiting = text
      .replace('export function exchangeToken', 'export async function exchangeToken')
      .replace('= verifyToken(', '= await verifyToken(')
    if (waiting.split('await verifyToken(').length !== 2)
      throw new Error('The source of the token exchange does not match the text that this benchmark replaces.')
    return { ...loaded, source: waiting }
  },
})
await import('./reelgate.ts')
