import { readdir, readFile } from 'node:fs/promises'

/** Returns the ids of processes whose command line contains `mark`, except this one. */
export async function processesWith(mark: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    // Not a script that starts one.
    if (command.includes(mark) && !command.includes('-e\0')) found.push(pid)
  }
  return found
}
