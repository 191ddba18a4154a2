/** Returns a positive number typed for an option. Undefined if the option was not given. Throws in words for the operator. */
export function readNumber(text: string | boolean | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`--${name} must be a number above 0.`)
  return value
}
