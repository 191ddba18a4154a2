/** Formats bytes as megabytes of 10^6 bytes: 12.4 MB. For logs and commands; the pages have `formatBytes`. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
