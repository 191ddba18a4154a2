import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

interface Given {
  url: string
  name: string
  inputs: unknown[][]
}

/**
 * Returns how many times the work for an input of `size` a function does for one of ten times that size: about 10 where it grows in proportion,
 * 100 where it grows with the square. Counts the executions of all functions and branches below `app` and `server`, which are the same on any
 * machine and under any load; regular expressions and built-in functions do not count. `url`: of the file that exports the function as `name`.
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
