import { existsSync } from 'node:fs'

/** Returns the device files of this machine among `paths`. */
export const existingDevices = (paths: readonly string[]): string[] => paths.filter((path) => existsSync(path))
