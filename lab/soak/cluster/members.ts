import { setTimeout as wait } from 'node:timers/promises'
import { type Service, startService } from '../../../server/testing/services/whole-service.ts'

/** Starts until a process counts as one that cannot start. */
const STARTS = 5

/** One process of the installation, which faults stop, kill and start again. */
export class Member {
  readonly name: string
  readonly role: 'web' | 'worker'
  /** Its DATA_DIR. */
  readonly dataDir: string
  /** `http://host:port` of a web process. */
  readonly url: string
  private readonly settings: Record<string, string>
  private service: Service | undefined
  private runs = false
  /** Its output before its last start. */
  private before = ''

  constructor(name: string, role: 'web' | 'worker', port: number, dataDir: string, settings: Record<string, string>) {
    this.name = name
    this.role = role
    this.dataDir = dataDir
    this.url = `http://127.0.0.1:${port}`
    this.settings = { ROLES: role, PORT: `127.0.0.1:${port}`, ...settings }
  }

  get pid(): number {
    return this.service?.pid as number
  }

  /** Starts it, with further settings, again if it ends, as systemd and Kubernetes do; resolves when it is ready. */
  async start(more: Record<string, string> = {}): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.before = this.said
      this.service = startService(this.dataDir, { ...this.settings, ...more })
      this.runs = true
      try {
        return await this.service.says(/Reelgate is ready/)
      } catch (error) {
        if (attempt === STARTS) throw error
        await wait(1_000)
      }
    }
  }

  /** Stops it as a deployment does. Errors: another exit code than 0. */
  async stop(): Promise<void> {
    process.kill(this.pid, 'SIGTERM')
    const code = await this.service?.ended
    this.runs = false
    if (code !== 0) throw new Error(`${this.name} ended with ${code} on SIGTERM`)
  }

  /** Ends it like a power cut. */
  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL')
    await this.service?.ended
    this.runs = false
  }

  /** Ends it without a drain, if it runs. */
  async end(): Promise<void> {
    if (!this.runs) return
    this.service?.signal('SIGINT')
    await Promise.race([this.service?.ended, wait(20_000)])
  }

  /** Returns what all of its processes have printed. */
  get said(): string {
    return this.before + (this.service?.said() ?? '')
  }
}
