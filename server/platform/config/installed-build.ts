import { services } from '../container.ts'

/** The build that runs, read from its files: code that Next bundles for pages does not know where those are. */
export interface InstalledBuild {
  version: string
  /** Names of the migrations that it brings, in order. */
  migrations: string[]
}

declare module '../container.ts' {
  interface Services {
    installedBuild: InstalledBuild
  }
}

export const installedBuild = (): InstalledBuild => services().installedBuild
