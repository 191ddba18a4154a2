import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { listen } from './http-server.ts'

const limit = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0

it.runIf(limit > 1_000)('a burst of 1,000 connections to a busy process waits, and none has to try again', async () => {
  const server = listen(createServer(), 0, '127.0.0.1')
  await once(server, 'listening')
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { connected, port } = require('node:worker_threads').workerData
    for (let at = 0; at < 1_000; at++)
      require('node:net').connect(port, '127.0.0.1').on('error', () => {}).on('connect', () => {
        Atomics.add(connected, 0, 1)
        Atomics.notify(connected, 0)
      })`
  const clients = new Worker(code, { eval: true, workerData: { connected, port: (server.address() as AddressInfo).port } })
  await once(clients, 'online')
  // This thread accepts none meanwhile.
  const wakes = () => Atomics.wait(connected, 0, Atomics.load(connected, 0), 30_000) !== 'timed-out'
  while (Atomics.load(connected, 0) < 1_000 && wakes());
  expect(connected[0]).toBe(1_000)
  await clients.terminate()
  server.close()
})
