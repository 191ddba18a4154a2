import { expect, it } from 'vitest'
import { freePort } from './free-port.ts'

it('finds no port twice, and fails once none is left', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort([26_000, 26_040])))
  expect(new Set(ports).size).toBe(20)
  await expect(freePort([ports[0] as number, (ports[0] as number) + 1])).rejects.toThrow('was tried before')
})
