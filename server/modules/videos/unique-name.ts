/** Returns the name, with a number where it is taken, and adds it to the taken ones: tracks of a group have different names (RFC 8216 §4.3.4.1.1). */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name
  for (let number = 2; taken.has(unique); number++) unique = `${name} ${number}`
  taken.add(unique)
  return unique
}
