/** Preloaded (`--import skewed-clock.ts?ms=…`): moves the clock of this process ahead. Timers are not affected. */
const ahead = Number(new URL(import.meta.url).searchParams.get('ms'))
const Real = Date

globalThis.Date = new Proxy(Real, {
  construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [Real.now() + ahead], made),
  apply: () => new Real(Real.now() + ahead).toString(),
  get: (target, name, receiver) => (name === 'now' ? () => Real.now() + ahead : Reflect.get(target, name, receiver)),
})
