import { services } from '../container.ts'

/** The running build, read from its files: code that Next bundles for pages does not know where those are. */
export interface InstalledBuild {
  version: string
  /** Names of the migrations it brings, in order. */
  migrations: string[]
}

declare module '../container.ts' {
  interface Services {
    installedBuild: InstalledBuild
  }
}

export const installedBuild = (): InstalledBuild => services().installedBuild
