/** Returns a positive number that was typed for an option; undefined when the option was not given. Throws in words for the operator. */
export function readNumber(text: string | boolean | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`--${name} must be a number above 0.`)
  return value
}
