/**
 * Next bundles its own copy of every import of its pages from `server/`, so one process holds two module graphs. Instances that must exist
 * once (pools, caches, meters, listeners) are created here and kept on `globalThis`.
 */
const holder = globalThis as { __reelgate?: Map<string, unknown> }
holder.__reelgate ??= new Map()
const registry = holder.__reelgate

/** Returns the process's one instance under `name`, created on first use. */
export function processWide<T>(name: string, make: () => T): T {
  const held = registry.get(name)
  if (held !== undefined) return held as T
  const made = make()
  registry.set(name, made)
  return made
}
