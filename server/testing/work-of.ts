import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Given {
  url: string
  name: string
  inputs: unknown[][]
}

/**
 * Returns by what factor a function's work grows when its input grows tenfold from `size`: about 10 if it is linear, 100 if it is quadratic.
 * Work is how often functions and branches below `app` and `server` execute, which does not depend on machine or load; regular expressions and
 * built-in functions do not count. `url` is the file that exports the function as `name`.
 */
export async function growthOf(url: URL, name: string, inputOf: (size: number) => unknown[], size: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>()
  // A new thread: V8 counts only in functions that are compiled after it began to count.
  const given: Given = { url: url.href, name, inputs: [inputOf(size), inputOf(10 * size)] }
  const worker = new Worker(new URL(import.meta.url), { workerData: given })
  worker.once('message', resolve)
  worker.once('error', reject)
  const [one = Number.NaN, ten = Number.NaN] = await promise
  return ten / one
}

async function work({ url, name, inputs }: Given): Promise<number[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const module = (await import(url)) as Record<string, (...input: unknown[]) => unknown>
  const counted: number[] = []
  for (const input of inputs) {
    await session.post('Profiler.takePreciseCoverage')
    module[name]?.(...input)
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ours = result.filter(({ url: of }) => /\/(?:app|server)\//.test(of) && !of.includes('/node_modules/'))
    counted.push(ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges)).reduce((sum, { count }) => sum + count, 0))
  }
  return counted
}

if (!isMainThread) parentPort?.postMessage(await work(workerData as Given))
