/**
 * Next bundles its own copy of whatever its pages import from `server/`, so one process holds two module graphs.
 * What must exist once (pools, caches, meters, listeners) is made through here and kept on `globalThis`.
 */
const holder = globalThis as { __reelgate?: Map<string, unknown> }
holder.__reelgate ??= new Map()
const registry = holder.__reelgate

/** The process's one instance under `name`, made on first use. */
export function processWide<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make())
  return registry.get(name) as T
}
