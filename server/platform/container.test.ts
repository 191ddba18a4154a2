import { expect, it, vi } from 'vitest'
import type * as Container from './container.ts'
import { createContainer, type Factories, hasContainer, type Services, services, setContainer, setLazily } from './container.ts'
import { makeClockSkew } from './database/clock.ts'

/** Returns the container of these factories, as if they were all there are. */
const containerOf = (factories: Partial<Factories>): Services => createContainer(factories as Factories)
const ahead = (ms: number) => ({ ...makeClockSkew(), ms })

it('creates a service when it is first read, once, and is a plain property from then on', () => {
  const skew = vi.fn(() => ahead(1))
  const streams = vi.fn(() => new Map<string, never>())
  const container = containerOf({ clockSkew: skew, s3Clients: streams })
  expect(container.clockSkew).toBe(container.clockSkew)
  expect([skew.mock.calls.length, streams.mock.calls.length]).toEqual([1, 0])
  expect(Object.getOwnPropertyDescriptor(container, 'clockSkew')).toMatchObject({ value: { ms: 1 } })
})

it('calls a factory that failed again', () => {
  const make = vi.fn(() => ahead(1))
  make.mockImplementationOnce(() => {
    throw new Error('not now')
  })
  const container = containerOf({ clockSkew: make })
  expect(() => container.clockSkew).toThrow('not now')
  expect(container.clockSkew).toMatchObject({ ms: 1 })
})

it('accepts another service, before and after the first read, and a renewed one', () => {
  const container = containerOf({ clockSkew: () => ahead(1) })
  container.clockSkew = ahead(2)
  expect(container.clockSkew.ms).toBe(2)
  container.clockSkew = ahead(3)
  expect(container.clockSkew.ms).toBe(3)
  setLazily(container, 'clockSkew', () => ahead(4))
  expect(container.clockSkew.ms).toBe(4)
})

it('is one for both module graphs of a process', async () => {
  const copy = './container.ts?of-the-pages'
  const pages = (await import(/* @vite-ignore */ copy)) as typeof Container
  expect(pages.services).not.toBe(services)
  const own = services()
  setContainer(undefined as never)
  expect([hasContainer(), pages.hasContainer()]).toEqual([false, false])
  expect(() => services()).toThrow('This process has no container')
  const container = containerOf({ clockSkew: () => ahead(1) })
  setContainer(container)
  expect(pages.services()).toBe(container)
  expect(pages.services().clockSkew).toBe(services().clockSkew)
  setContainer(own)
})
