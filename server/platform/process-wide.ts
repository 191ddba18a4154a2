/**
 * Next bundles its own copy of whatever its pages import from `server/`, so one process holds two module graphs.
 * What must exist once (pools, caches, meters, listeners) is made through here and kept on `globalThis`.
 */
const holder = globalThis as { __reelgate?: Map<string, unknown> }
holder.__reelgate ??= new Map()
const registry = holder.__reelgate

/** The process's one instance under `name`, made on first use. */
export function processWide<T>(name: string, make: () => T): T {
  const held = registry.get(name)
  if (held !== undefined) return held as T
  const made = make()
  registry.set(name, made)
  return made
}
