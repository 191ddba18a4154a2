import { setTimeout as wait } from 'node:timers/promises'
import { type Service, startService } from '../../../server/testing/whole-service.ts'

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
  /** Its output before its last start. */
  private before = ''

  constructor(name: string, role: 'web' | 'worker', port: number, dataDir: string, settings: Record<string, string>) {
    this.name = name
    this.role = role
    this.dataDir = dataDir
    this.url = `http://127.0.0.1:${port}`
    this.settings = { ROLES: role, PORT: String(port), HOST: '127.0.0.1', ...settings }
  }

  get pid(): number {
    return this.service?.pid as number
  }

  /** Starts it, with further settings; resolves when it is ready. */
  async start(more: Record<string, string> = {}): Promise<void> {
    this.before = this.said
    this.service = startService(this.dataDir, { ...this.settings, ...more })
    await this.service.says(/Reelgate is ready/)
  }

  /** Stops it as a deployment does. Errors: another exit code than 0. */
  async stop(): Promise<void> {
    process.kill(this.pid, 'SIGTERM')
    const code = await this.service?.ended
    if (code !== 0) throw new Error(`${this.name} ended with ${code} on SIGTERM`)
  }

  /** Ends it like a power cut. */
  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL')
    await this.service?.ended
  }

  /** Ends it without a drain. */
  async end(): Promise<void> {
    this.service?.signal('SIGINT')
    await Promise.race([this.service?.ended, wait(20_000)])
  }

  /** Returns what all of its processes have printed. */
  get said(): string {
    return this.before + (this.service?.said() ?? '')
  }
}
