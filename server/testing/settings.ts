import { type GivenSettings, readSettings } from '../platform/config/config.ts'
import { hasContainer, type Services, services, setLazily } from '../platform/container.ts'
import { buildContainer, FACTORIES } from '../services.ts'
import { LEAST_COST } from './cheap-hash.ts'

let given: GivenSettings = {}

/**
 * Gives this test file a container of its own, with the settings of the environment. Passwords are hashed at the least cost;
 * `renew('passwordCost')` restores the service's.
 */
export function resetContainer(): void {
  given = {}
  buildContainer(given)
  services().passwordCost = LEAST_COST
}

/**
 * Changes settings of this test file's container, or builds that of a test program. Settings are parsed when one is next read. Services
 * that exist keep what they read before.
 */
export function provide(values: GivenSettings): void {
  Object.assign(given, values)
  if (!hasContainer()) buildContainer(given)
  else setLazily(services(), 'settings', () => readSettings(given))
}

/** Returns the settings that this test file changed, for its child processes. */
export const changedSettings = (): GivenSettings => given

/** The services of the connections to the database. */
export const POOLS = ['connectionTurns', 'vitalTurns', 'pool', 'vitalPool'] as const satisfies (keyof Services)[]

/** Creates services again when they are next read, as a process that starts does. */
export function renew(...names: (keyof Services)[]): void {
  const renewOne = <Name extends keyof Services>(name: Name) => setLazily(services(), name, FACTORIES[name])
  for (const name of names) renewOne(name)
}
