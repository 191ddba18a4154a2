/**
 * A value in memory, or a promise of one that is not. API requests use it because a promise of a value in memory costs about as much as the
 * rest of a small request. Combine functions that return it with the functions below, or await them.
 */
export type MaybePromise<Value> = Value | Promise<Value>

/** Calls `next` with the value, at once if it is in memory. */
export const andThen = <Value, Result>(value: MaybePromise<Value>, next: (value: Value) => MaybePromise<Result>): MaybePromise<Result> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Calls `next` with both values, at once if both are in memory. */
export const withBoth = <First, Second, Result>(
  first: MaybePromise<First>,
  second: MaybePromise<Second>,
  next: (first: First, second: Second) => Result,
): MaybePromise<Result> =>
  first instanceof Promise || second instanceof Promise
    ? Promise.all([first, second]).then(([one, other]) => next(one, other))
    : next(first, second)

/** Returns the value of `attempt`, or of `handle` if it throws or its promise rejects. */
export function recover<Value>(attempt: () => MaybePromise<Value>, handle: (thrown: unknown) => Value): MaybePromise<Value> {
  try {
    const value = attempt()
    return value instanceof Promise ? value.catch(handle) : value
  } catch (thrown) {
    return handle(thrown)
  }
}
