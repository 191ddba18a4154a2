import { isIPv6 } from 'node:net'
import { z } from 'zod'

const HTTP = 'Enter a URL that starts with https:// or http://.'

/** What a URL may contain besides scheme, host and port. */
interface Allowed {
  path?: boolean
  query?: boolean
  credentials?: boolean
}

/** Returns the schema of a URL setting. It refuses parts that would be ignored, or that would break URLs built from it. */
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
    if (!query && /[?#]/.test(given)) return refuse('Remove the query and the fragment: everything from ? or #.')
    if (path) return given.replace(/(?<!\/)\/+$/, '')
    if (/[^/]/.test(url.pathname)) return refuse('Remove the path. Reelgate needs its own host or port, such as https://video.example.com.')
    return url.origin
  })

/** The root of a host, with pages, API and player below it. In the form of a browser's `Origin`. */
export const originUrl = httpUrl({})

/** A URL that paths are appended to, without a trailing slash. */
export const baseUrl = httpUrl({ path: true })

/** A URL that is requested as is. */
export const requestUrl = httpUrl({ path: true, query: true })

/** The address of a collector, whose client sends the URL's user name and password. */
export const collectorUrl = httpUrl({ path: true, query: true, credentials: true })

/** Returns a host as in URLs, without brackets and without a trailing dot. */
export const plainHost = (host: string) => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Hosts, or hosts with a port, separated by commas, in the form of `plainHost`. An IPv6 address before a port has brackets. */
export const hostList = z
  .string()
  .default('')
  .transform((list, context) =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
      .map((item) => {
        const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(isIPv6(item) ? `[${item}]` : item) ?? []
        if (host && !/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}`)) return plainHost(new URL(`http://${host}`).hostname) + port
        context.addIssue({
          code: 'custom',
          message: 'Enter hosts, or hosts with a port such as receiver.internal:8080, separated by commas.',
        })
        return z.NEVER
      }),
  )
