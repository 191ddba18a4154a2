import { type LookupAddress, type LookupOptions, Resolver } from 'node:dns'

/** Resolves every address of a name, like `dns.lookup` with `all`. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/** Milliseconds that a name server may stay silent, and how often to ask it. */
const LIMITS = { timeout: 2_000, tries: 2 }

/**
 * Returns a lookup that asks the name servers itself, for any number of names at once. `dns.lookup` occupies one of two threads of the
 * process until a server responds, so one account's names would delay everyone's. Does not know names in the hosts file. Errors: ENOTFOUND;
 * EAI_AGAIN when a server did not respond.
 */
export function nameLookUp(resolver = new Resolver(LIMITS)): Resolve {
  const ask = (host: string, family: 4 | 6) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      const answered = (error: NodeJS.ErrnoException | null, found: string[]) => {
        if (!error) resolve(found.map((address) => ({ address, family })))
        else if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') resolve([])
        else reject(error)
      }
      if (family === 4) resolver.resolve4(host, answered)
      else resolver.resolve6(host, answered)
    })
  return (host, { family }, done) => {
    const families = ([4, 6] as const).filter((one) => !family || family === one || family === `IPv${one}`)
    void Promise.allSettled(families.map((one) => ask(host, one))).then((results) => {
      const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      if (found.length > 0) return done(null, found)
      const code = results.every(({ status }) => status === 'fulfilled') ? 'ENOTFOUND' : 'EAI_AGAIN'
      done(Object.assign(new Error(`the name ${host} was not resolved: ${code}`), { code }), [])
    })
  }
}
