import { dehydrate, hydrate, QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { applyNotice, refetchAfterNotice, refetchWhenHydrated, setDataKeepInvalidated } from './answers.ts'

/** A query that a page shows, whose responses the test provides in the order of the requests. */
function shownQuery() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const queryKey = ['thing']
  const asked: PromiseWithResolvers<string>[] = []
  const queryFn = () => {
    const answer = Promise.withResolvers<string>()
    asked.push(answer)
    return answer.promise
  }
  new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {})
  const query = client.getQueryCache().find({ queryKey })
  if (!query) throw new Error('nothing is asked')
  const answer = (at: number, value: string) => {
    asked[at]?.resolve(value)
    return expect.poll(() => asked.length > at + 1 || query.state.fetchStatus === 'idle').toBe(true)
  }
  return { client, query, asked, answer, refetch: () => void client.invalidateQueries({ queryKey }) }
}

it('shows a notified change instead of the response in flight, including the first one', async () => {
  for (const first of [true, false]) {
    const { client, query, asked, answer, refetch } = shownQuery()
    if (!first) {
      await answer(0, 'older')
      refetch()
    }
    applyNotice(query, () => client.setQueryData(query.queryKey, 'heard'))
    await answer(asked.length - 1, 'read before')
    expect(query.state.data).toBe('heard')
    // A request sent from now on is read after the change.
    refetch()
    await answer(asked.length - 1, 'read after')
    expect(query.state.data).toBe('read after')
  }
})

it('drops the notified change when the response is superseded or fails', async () => {
  const { client, query, asked, answer, refetch } = shownQuery()
  await answer(0, 'older')
  refetch()
  applyNotice(query, () => client.setQueryData(query.queryKey, 'heard'))
  refetch()
  client.setQueryData(query.queryKey, 'heard later')
  await expect.poll(() => asked.length).toBe(3)
  expect(query.state.data).toBe('heard later')
  await answer(2, 'read after')
  expect(query.state.data).toBe('read after')
  refetch()
  applyNotice(query, () => client.setQueryData(query.queryKey, 'heard'))
  asked[3]?.reject(new Error('lost'))
  await expect.poll(() => query.state.fetchStatus).toBe('idle')
  expect(query.state.data).toBe('heard')
})

it('refetches once after the response in flight, including the first one, for any number of notices', async () => {
  const { client, query, asked, answer } = shownQuery()
  for (let notices = 0; notices < 3; notices++) refetchAfterNotice(client, { queryKey: ['thing'] })
  expect(asked).toHaveLength(1)
  await answer(0, 'read before')
  await expect.poll(() => asked.length).toBe(2)
  // The response is shown in the meantime: a steady stream of notices must not leave the page empty.
  expect(query.state.data).toBe('read before')
  await answer(1, 'read after')
  expect(query.state).toMatchObject({ data: 'read after', isInvalidated: false, fetchStatus: 'idle' })
  expect(asked).toHaveLength(2)
  refetchAfterNotice(client, { queryKey: ['thing'] })
  expect(asked).toHaveLength(3)
})

it('leaves a response unchanged when the notified change requested it', async () => {
  const { client, query, asked, answer, refetch } = shownQuery()
  await answer(0, 'older')
  applyNotice(query, () => {
    client.setQueryData(query.queryKey, 'heard')
    refetch()
  })
  await answer(1, 'read after')
  expect(query.state.data).toBe('read after')
  expect(asked).toHaveLength(2)
})

it('waits for the request that superseded the one in flight, then refetches', async () => {
  const { client, query, asked, answer, refetch } = shownQuery()
  await answer(0, 'older')
  refetch()
  refetchAfterNotice(client, { queryKey: ['thing'] })
  refetch()
  await answer(1, 'given up')
  expect(asked).toHaveLength(3)
  await answer(2, 'the next page')
  expect(query.state.data).toBe('the next page')
  await answer(3, 'read after')
  expect(query.state.data).toBe('read after')
})

it('refetches data that arrives with a page shortly after a notice, for a new query and for a cached one', async () => {
  const { client, query, asked, answer } = shownQuery()
  await answer(0, 'heard')
  const server = new QueryClient()
  const page = (updatedAt: number) => {
    for (const key of ['thing', 'other']) server.setQueryData([key], 'read before', { updatedAt })
    return dehydrate(server)
  }
  let heardAt = -Infinity
  const stop = refetchWhenHydrated(client, { queryKey: ['thing'] }, () => heardAt)
  hydrate(client, page(Date.now() + 1))
  expect(asked).toHaveLength(1)
  heardAt = performance.now()
  hydrate(client, page(Date.now() + 2))
  expect(asked).toHaveLength(2)
  await answer(1, 'read after')
  expect(query.state.data).toBe('read after')
  client.removeQueries()
  hydrate(client, page(Date.now() + 3))
  // No component shows the query yet; the component that mounts it fetches it.
  const invalid = (key: string) => client.getQueryState([key])?.isInvalidated
  expect([invalid('thing'), invalid('other')]).toEqual([true, false])
  stop()
})

it('keeps a query invalidated when a notice changes its data', async () => {
  const { client, query, answer } = shownQuery()
  await answer(0, 'older')
  setDataKeepInvalidated(client, query, 'heard')
  expect(query.state).toMatchObject({ data: 'heard', isInvalidated: false })
  query.invalidate()
  setDataKeepInvalidated(client, query, 'heard later')
  expect(query.state).toMatchObject({ data: 'heard later', isInvalidated: true })
})
