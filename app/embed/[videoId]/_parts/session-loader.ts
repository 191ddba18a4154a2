import Hls, {
  type HlsConfig,
  type KeyLoaderContext,
  type Loader,
  type LoaderCallbacks,
  type LoaderConfiguration,
  type LoaderContext,
} from 'hls.js'
import { keyUrlIn } from './key-url.ts'
import type { Session } from './session.ts'

const Base = Hls.DefaultConfig.loader

/**
 * Extends hls.js's loader for addresses that expire before a viewing ends. Requests playlists under the session's newest permit. Retries a
 * refused playlist under another permit, and an expired key with a fresh address from the same media playlist, once each before it reports
 * an error.
 */
export function sessionLoader(session: Session) {
  return class SessionLoader extends Base {
    private readonly config: HlsConfig
    private second: Loader<LoaderContext> | undefined

    constructor(config: HlsConfig) {
      super(config)
      this.config = config
    }

    override load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>): void {
      const afresh = alternativeFor(session, context)
      if (!afresh) {
        super.load(context, config, callbacks)
        return
      }
      // hls.js identifies a request by its URL, so responses return with the original context.
      const relayed: LoaderCallbacks<LoaderContext> = {
        ...callbacks,
        onSuccess: (response, stats, _context, details) => callbacks.onSuccess(response, stats, context, details),
        onError: (error, _context, details, stats) => callbacks.onError(error, context, details, stats),
        onTimeout: (stats, _context, details) => callbacks.onTimeout(stats, context, details),
      }
      const url = session.current(context.url)
      super.load({ ...context, url }, config, {
        ...relayed,
        onError: (error, _context, details, stats) => {
          const giveUp = () => callbacks.onError(error, context, details, stats)
          if (error.code !== 401 && error.code !== 403) return giveUp()
          afresh(url).then((fresh) => {
            if (!fresh || fresh === url) return giveUp()
            this.second = new Base(this.config)
            this.second.load({ ...context, url: fresh }, config, relayed)
          }, giveUp)
        },
      })
    }

    override abort(): void {
      this.second?.abort()
      super.abort()
    }

    override destroy(): void {
      this.second?.destroy()
      super.destroy()
    }
  }
}

/** Returns how to get another address for a refused request; undefined for segments, which are never refused. */
function alternativeFor(session: Session, context: LoaderContext): ((refused: string) => Promise<string | undefined>) | undefined {
  const playlist = 'keyInfo' in context ? (context as KeyLoaderContext).frag.baseurl : undefined
  if (playlist) return (refused) => freshKeyUrl(session, playlist, refused)
  return session.holds(context.url) ? (refused) => session.afterRefusal(refused) : undefined
}

/** Returns the key of the same path in a freshly fetched playlist. */
async function freshKeyUrl(session: Session, playlist: string, expired: string): Promise<string | undefined> {
  const read = (url: string) => fetch(url, { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' })
  let url = session.current(playlist)
  let response = await read(url)
  if (response.status === 401) {
    url = await session.afterRefusal(url)
    response = await read(url)
  }
  return response.ok ? keyUrlIn(await response.text(), url, expired) : undefined
}
