import Hls, {
  type HlsConfig,
  type KeyLoaderContext,
  type Loader,
  type LoaderCallbacks,
  type LoaderConfiguration,
  type LoaderContext,
} from 'hls.js/light'
import { keyUrlIn } from './key-url.ts'

const Base = Hls.DefaultConfig.loader

/**
 * hls.js's loader, and what it lacks for short-lived keys: a key URL that was refused because it expired before its first use
 * is replaced by a fresh one from the same media playlist, once, before anybody hears of it.
 */
export class SessionLoader extends Base {
  private readonly config: HlsConfig
  private second: Loader<LoaderContext> | undefined

  constructor(config: HlsConfig) {
    super(config)
    this.config = config
  }

  override load(context: LoaderContext, config: LoaderConfiguration, callbacks: LoaderCallbacks<LoaderContext>): void {
    const playlist = 'keyInfo' in context ? (context as KeyLoaderContext).frag.baseurl : undefined
    if (!playlist) {
      super.load(context, config, callbacks)
      return
    }
    super.load(context, config, {
      ...callbacks,
      onError: (error, _context, details, stats) => {
        const giveUp = () => callbacks.onError(error, context, details, stats)
        if (error.code !== 401 && error.code !== 403) return giveUp()
        freshKeyUrl(playlist, context.url).then((url) => {
          this.second = new Base(this.config)
          // hls.js knows the key by the URL it asked for, so answers go back under the original context.
          this.second.load({ ...context, url }, config, {
            ...callbacks,
            onSuccess: (response, stats, _context, details) => callbacks.onSuccess(response, stats, context, details),
            onError: (error, _context, details, stats) => callbacks.onError(error, context, details, stats),
            onTimeout: (stats, _context, details) => callbacks.onTimeout(stats, context, details),
          })
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

/** The key of the same path in a freshly served playlist. */
async function freshKeyUrl(playlist: string, expired: string): Promise<string> {
  const response = await fetch(playlist, { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' })
  if (!response.ok) throw new Error(`The playlist answered ${response.status}`)
  const url = keyUrlIn(await response.text(), playlist, expired)
  if (!url) throw new Error('The playlist names no key')
  return url
}
