/**
 * The services of one process: the settings, and state and connections that must exist once. A file declares its services by declaration
 * merging next to their factories; `server/services.ts` lists all factories.
 */
// biome-ignore lint/suspicious/noEmptyInterface: other files add their services by declaration merging.
export interface Services {}

/** Creates each service. A factory runs when its service is first read. */
export type Factories = { [Name in keyof Services]: () => Services[Name] }

/** Creates a container. Each service is created when first read, and is a plain property from then on. */
export function createContainer(factories: Factories): Services {
  const container = {} as Services
  for (const name of Object.keys(factories) as (keyof Services)[]) setLazily(container, name, factories[name])
  return container
}

/** Makes the container call `make` when the service is next read. */
export function setLazily<Name extends keyof Services>(container: Services, name: Name, make: () => Services[Name]): void {
  const set = (value: Services[Name]) => {
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
    return value
  }
  Object.defineProperty(container, name, { get: () => set(make()), set, enumerable: true, configurable: true })
}

/**
 * Next bundles its own copy of everything its pages import from `server/`, so one process holds two module graphs. They share only this
 * object, the only one of this service on `globalThis`.
 */
const shared = globalThis as { __reelgate?: { container?: Services } }
shared.__reelgate ??= {}
const holder = shared.__reelgate

/** Returns this process's container. Throws if none was built. */
export function services(): Services {
  const { container } = holder
  if (!container) throw new Error('This process has no container: call buildContainer() (server/services.ts) first.')
  return container
}

export const hasContainer = (): boolean => holder.container !== undefined

/** Makes a container this process's, for both module graphs. */
export function setContainer(container: Services): void {
  holder.container = container
}
