import { existsSync } from 'node:fs'

/** Returns those of `paths` that are device files on this machine. */
export const existingDevices = (paths: readonly string[]): string[] => paths.filter((path) => existsSync(path))
