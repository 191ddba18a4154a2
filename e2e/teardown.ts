import { rmSync } from 'node:fs'

/** The data folder of the tests' own server goes with the tests. */
export default function teardown(): void {
  if (process.env.REELGATE_E2E_DATA) rmSync(process.env.REELGATE_E2E_DATA, { recursive: true, force: true })
}
