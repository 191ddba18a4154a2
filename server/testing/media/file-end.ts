const tasks: (() => unknown)[] = []

/**
 * Runs a task when the test file ends, last registered first, after the file's hooks. Unlike an `afterAll`, it can be registered inside a
 * test or a hook, and by a module that another file of the same process loaded.
 */
export const atFileEnd = (task: () => unknown): void => void tasks.push(task)

/** Runs every task, also after one failed. Throws their errors. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = []
  for (const task of tasks.splice(0).reverse()) {
    try {
      await task()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Several parts of the test file did not end.')
}
