import { z } from 'zod'

const HTTP = 'Enter a URL that begins with https:// or http://.'

/** What a URL may contain besides scheme, host and port. */
interface Allowed {
  path?: boolean
  query?: boolean
  credentials?: boolean
}

/** Returns the schema of a setting that is a URL. It refuses what would otherwise be ignored, or break the URLs that are made from it. */
const httpUrl = ({ path = false, query = false, credentials = false }: Allowed) =>
  z.string().transform((text, context) => {
    const given = text.trim()
    const url = /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given) : undefined
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (!url) return refuse(HTTP)
    if (!credentials && (url.username || url.password)) return refuse('Remove the user name and the password.')
    if (!query && /[?#]/.test(given)) return refuse('Remove the query and the fragment, from ? or # on.')
    if (path) return given.replace(/(?<!\/)\/+$/, '')
    if (/[^/]/.test(url.pathname))
      return refuse('Remove the path. Reelgate needs a host or a port of its own, such as https://video.example.com.')
    return url.origin
  })

/** The root of a host: pages, API and player are served below it. In the form of a browser's `Origin`. */
export const originUrl = httpUrl({})

/** A URL to which paths are appended; without a slash at its end. */
export const baseUrl = httpUrl({ path: true })

/** A URL that is requested as it is. */
export const requestUrl = httpUrl({ path: true, query: true })

/** The address of a collector, whose client sends the user name and the password of a URL. */
export const collectorUrl = httpUrl({ path: true, query: true, credentials: true })
