import { ADDRESSES, type Network } from './addresses.ts'
import { type Attack, ask } from './target.ts'

/** Reads the largest page that anyone can open, from each of the addresses at once. */
export function pageReads(count: number, network: Network): Attack {
  const addresses = ADDRESSES[network](count)
  return {
    name: `/docs/reference from ${count} addresses of ${network}`,
    workers: count,
    async once(target, at, signal) {
      const address = addresses[at % count] as string
      return (await ask(target, '/docs/reference', { headers: { cookie: '' }, address }, signal)).status
    },
  }
}
