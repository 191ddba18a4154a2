import { expect, it } from 'vitest'
import { makeQueryClient } from './query-client.ts'

it('says of which failures the page holds unsaved work', async () => {
  const failures: unknown[] = []
  const client = makeQueryClient((error, keepsPage) => failures.push([(error as Error).message, keepsPage]))
  const fail = (message: string) => () => Promise.reject(new Error(message))
  const mutate = (message: string, meta?: Record<string, unknown>) =>
    client
      .getMutationCache()
      .build(client, { mutationFn: fail(message), ...(meta && { meta }) })
      .execute(undefined)
  await Promise.allSettled([mutate('draft', { keepsPage: true }), mutate('title')])
  await client.fetchQuery({ queryKey: ['list'], queryFn: fail('list'), retry: false }).catch(() => {})
  expect(failures).toEqual([
    ['draft', true],
    ['title', false],
    ['list', false],
  ])
})
