import type { Router } from './router.ts'

/** An account with one key and one video, and what its callers have received. */
export interface Tenant {
  accountId: string
  keyId: string
  key: string
  videoId: string
  granted: number
  /** Refused because the quota is exhausted. */
  refused: number
  /** Requests that failed or got no answer. */
  unanswered: number
}

interface Load {
  callers: number
  requests: number
  /** What happens after so many requests, while the others go on. */
  at: Record<number, () => Promise<unknown>>
  onAnswer: (tenant: Tenant, status: number) => void
}

/** Requests tokens for tenants by Zipf's law: the first one gets the most requests, the n-th an n-th of that. */
export async function takeTokens(router: Router, tenants: Tenant[], { callers, requests, at, onAnswer }: Load): Promise<void> {
  const weights = tenants.map((_, rank) => 1 / (rank + 1))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  // A sequence of fixed points instead of random ones, so that runs are alike.
  const pick = (point: number) => {
    let left = point * sum
    for (const [rank, weight] of weights.entries()) {
      left -= weight
      if (left <= 0) return tenants[rank] as Tenant
    }
    return tenants.at(-1) as Tenant
  }
  const events: Promise<unknown>[] = []
  let next = 0
  const call = async () => {
    while (next < requests) {
      const number = next++
      const event = at[number]
      if (event) events.push(event())
      const tenant = pick((number * 0.618_033_988_75) % 1)
      const status = await router.send(tenant)
      if (status === 200) tenant.granted++
      else if (status === 429) tenant.refused++
      else tenant.unanswered++
      onAnswer(tenant, status)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  await Promise.all(events)
}
