import { readFileSync } from 'node:fs'

/** Which mappings get huge pages: `always [madvise] never`. */
const MODE = '/sys/kernel/mm/transparent_hugepage/enabled'
/** What the allocator reads before it asks for huge pages. */
export const HUGE_PAGE_SETTINGS: readonly string[] = [MODE, '/sys/kernel/mm/transparent_hugepage/hpage_pmd_size']
/** The first glibc whose allocator asks for huge pages. */
const GLIBC = { major: 2, minor: 35 }
const MB = 1024 ** 2

/**
 * Tunables of glibc's allocator for programs that process pictures: huge pages, asked for in areas of 64 MB, which take buffers of up to 32 MB
 * and are kept for further ones. Without huge pages, such areas make an encode slower.
 */
const TUNABLES = [
  'glibc.malloc.hugetlb=1',
  `glibc.malloc.top_pad=${64 * MB}`,
  `glibc.malloc.mmap_threshold=${32 * MB}`,
  `glibc.malloc.trim_threshold=${4_096 * MB}`,
].join(':')

let found: Record<string, string> | undefined

/**
 * Returns environment variables with which the allocator of a program that can read `HUGE_PAGE_SETTINGS` uses huge pages; empty where the
 * system has none for programs that ask.
 */
export function hugePages(): Record<string, string> {
  found ??= givesHugePages(hugePageMode()) && asksForThem(glibcVersion()) ? { GLIBC_TUNABLES: TUNABLES } : {}
  return found
}

/** Returns whether the system gives huge pages to a program that asks, by the text of its setting. */
export const givesHugePages = (mode: string): boolean => /\[(always|madvise)\]/.test(mode)

/** Returns whether the allocator of this version of glibc can ask for huge pages; undefined: another C library. */
export function asksForThem(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  return major > GLIBC.major || (major === GLIBC.major && minor >= GLIBC.minor)
}

function hugePageMode(): string {
  try {
    return readFileSync(MODE, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the version of the glibc that this process runs with, which its programs load as well. */
function glibcVersion(): string | undefined {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Otherwise the report resolves the address of every connection.
  report.excludeNetwork = true
  try {
    return (report.getReport() as { header?: { glibcVersionRuntime?: string } }).header?.glibcVersionRuntime
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}
