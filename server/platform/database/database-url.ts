/** What precedes the hosts, the hosts, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([/?#].*)?$/

/** Returns one URL for each host of a database URL, which can name several, separated by commas, as libpq allows. */
export function hostsOf(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  const [first, ...others] = hosts.split(',').map((host) => before + host + after)
  return first === undefined || others.length === 0 ? [url] : [first, ...others]
}

/** Returns whether each host in a text makes a valid PostgreSQL URL. */
export const isDatabaseUrl = (text: string): boolean =>
  hostsOf(text).every((url) => URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol))

interface DatabaseUrls {
  DATABASE_URL?: string | undefined
  DATABASE_DIRECT_URL?: string | undefined
  DATABASE_OWNER_URL?: string | undefined
}

/** Returns the address for connections that keep their session: change notices, jobs and migrations. */
export const directUrl = ({ DATABASE_URL, DATABASE_DIRECT_URL }: DatabaseUrls): string => DATABASE_DIRECT_URL ?? DATABASE_URL ?? ''

/** Returns the address for migrations, and the role to grant rights on the tables if it is a different one. */
export function ownerOf(urls: DatabaseUrls): { url: string; service: string | undefined } {
  if (!urls.DATABASE_OWNER_URL) return { url: directUrl(urls), service: undefined }
  return { url: urls.DATABASE_OWNER_URL, service: decodeURIComponent(new URL(hostsOf(urls.DATABASE_URL ?? '')[0]).username) }
}
