/**
 * Parses a query in which `name[key]=value` makes an object `name`. A repeated parameter becomes an array, which no schema of a single
 * value accepts. So does an object named `__proto__`, which readers understand differently.
 */
export function readDeepQuery(search: string): Record<string, unknown> {
  const plain = new Map<string, string | string[]>()
  const deep = new Map<string, Map<string, string | string[]>>()
  for (const [parameter, value] of new URLSearchParams(search)) {
    const [, name, key] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(parameter) ?? []
    if (name === undefined || key === undefined) add(plain, parameter, value)
    else if (key === '__proto__') plain.set(name, [value])
    else {
      const texts = deep.get(name) ?? new Map()
      deep.set(name, texts)
      add(texts, key, value)
    }
  }
  const objects = [...deep].map(([name, texts]) => [name, plain.has(name) ? [] : Object.fromEntries(texts)] as const)
  return Object.fromEntries<unknown>([...plain, ...objects])
}

function add(texts: Map<string, string | string[]>, name: string, value: string): void {
  const earlier = texts.get(name)
  texts.set(name, earlier === undefined ? value : [earlier, value].flat())
}
