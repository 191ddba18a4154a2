import Hls, {
  type HlsConfig,
  type KeyLoaderContext,
  type Loader,
  type LoaderCallbacks,
  type LoaderConfiguration,
  type LoaderContext,
} from 'hls.js/light'
import { keyUrlIn } from './key-url.ts'
import type { Session } from './session.ts'

const Base = Hls.DefaultConfig.loader

/**
 * hls.js's loader, and what it lacks for addresses that live shorter than a viewing. Playlists are asked for under the session's newest
 * grant. One that is refused nevertheless is asked for under another grant, and a key whose address ran out before its first use
 * under a fresh one from the same media playlist: once each, before anybody hears of it.
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
      const afresh = wayAround(session, context)
      if (!afresh) {
        super.load(context, config, callbacks)
        return
      }
      // hls.js knows a request by the URL it asked for, so answers go back under the original context.
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

/** How to come by another address for what was refused; undefined for what is never refused, the segments. */
function wayAround(session: Session, context: LoaderContext): ((refused: string) => Promise<string | undefined>) | undefined {
  const playlist = 'keyInfo' in context ? (context as KeyLoaderContext).frag.baseurl : undefined
  if (playlist) return (refused) => freshKeyUrl(session, playlist, refused)
  return session.holds(context.url) ? (refused) => session.afterRefusal(refused) : undefined
}

/** The key of the same path in a freshly served playlist. */
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
