import { log } from './observe/log.ts'

interface Options<Item> {
  signal?: AbortSignal | undefined
  /** What identifies an item in the log. */
  facts: (item: Item) => object
}

/**
 * Runs `work` for each item, one after another. One that fails does not hold up the others: it is logged, and the first error is thrown at
 * the end. Rejects at once when `signal` aborts.
 */
export async function despiteFailures<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { signal, facts }: Options<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const problems: unknown[] = []
  for await (const item of items) {
    signal?.throwIfAborted()
    try {
      await work(item)
    } catch (error) {
      signal?.throwIfAborted()
      log().warn({ err: error, ...facts(item) }, 'part of a job failed; continuing with the rest')
      problems.push(error)
    }
  }
  if (problems.length > 0) throw problems[0]
}
