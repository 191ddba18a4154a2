import type { Cell } from './cell.ts'
import type { Tenant } from './tenants.ts'

/** Finds the cell of a key: the directory that edges of all regions would hold a copy of. */
export class Router {
  readonly cells: readonly Cell[]
  private readonly directory = new Map<string, Cell>()
  private readonly held = new Map<string, Promise<void>>()
  private readonly running = new Map<string, Set<Promise<unknown>>>()

  constructor(cells: readonly Cell[]) {
    this.cells = cells
  }

  place(accountId: string, cell: Cell): void {
    this.directory.set(accountId, cell)
  }

  cellOf({ accountId }: Tenant): Cell {
    const cell = this.directory.get(accountId)
    if (!cell) throw new Error(`no cell has the account ${accountId}`)
    return cell
  }

  /** Sends a request to the cell of its account; waits while the account moves. Resolves with the status, 0 without an answer. */
  async send(tenant: Tenant): Promise<number> {
    await this.held.get(tenant.accountId)
    const sent = this.cellOf(tenant).takeToken(tenant)
    const running = this.running.get(tenant.accountId) ?? new Set()
    this.running.set(tenant.accountId, running)
    running.add(sent)
    try {
      return await sent
    } finally {
      running.delete(sent)
    }
  }

  /** Holds the requests of an account, lets those under way end, and runs `move`. */
  async hold({ accountId }: Tenant, move: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.held.set(accountId, promise)
    try {
      await Promise.allSettled(this.running.get(accountId) ?? [])
      await move()
    } finally {
      this.held.delete(accountId)
      resolve()
    }
  }
}
