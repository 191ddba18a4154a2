import { uploadPlace } from './place.ts'

/** Runs `work` while no other request writes to the upload. One that does is asked to stop, and so is `work`, through `stop`. */
export async function withUploadLock<Result>(id: string, work: () => Promise<Result>, stop: () => void = () => {}): Promise<Result> {
  const lock = uploadPlace().locker.newLock(id)
  await lock.lock(new AbortController().signal, stop)
  try {
    return await work()
  } finally {
    await lock.unlock()
  }
}
