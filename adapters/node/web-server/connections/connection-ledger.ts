import type { AddressCounts, ConnectionReport, ConnectionView } from './connection-messages.ts'

interface Account {
  total: number
  addresses: Map<string, number>
  /** What this worker knows of the others. */
  toldTotal: number
  told: Map<string, number>
}

/**
 * Sums of the connections of all workers, in the primary: takes their reports
 * and tells each what the others have together. Only what workers find worth
 * telling passes here, so its size is bounded by the limits.
 */
export class ConnectionLedger<Worker extends object> {
  readonly #accounts = new Map<Worker, Account>()
  readonly #sums = new Map<string, number>()
  readonly #changed = new Set<string>()
  readonly #tell: (worker: Worker, view: ConnectionView) => void
  #total = 0
  #due = false

  constructor(tell: (worker: Worker, view: ConnectionView) => void) {
    this.#tell = tell
  }

  /** A report of a worker; one that reports for the first time is told everything. */
  note(worker: Worker, report: ConnectionReport): void {
    let account = this.#accounts.get(worker)
    if (account === undefined) {
      account = { total: 0, addresses: new Map(), toldTotal: 0, told: new Map() }
      this.#accounts.set(worker, account)
      for (const address of this.#sums.keys()) this.#changed.add(address)
    }
    this.#total += report.total - account.total
    account.total = report.total
    for (const [address, count] of report.addresses) this.#set(account, address, count)
    this.#flushSoon()
  }

  /** The worker is gone, and its connections with it. */
  retire(worker: Worker): void {
    const account = this.#accounts.get(worker)
    if (account === undefined) return
    this.#accounts.delete(worker)
    this.#total -= account.total
    for (const address of [...account.addresses.keys()]) this.#set(account, address, 0)
    this.#flushSoon()
  }

  #set(account: Account, address: string, count: number): void {
    const sum = (this.#sums.get(address) ?? 0) + count - (account.addresses.get(address) ?? 0)
    if (sum === 0) this.#sums.delete(address)
    else this.#sums.set(address, sum)
    if (count === 0) account.addresses.delete(address)
    else account.addresses.set(address, count)
    this.#changed.add(address)
  }

  #flushSoon(): void {
    if (this.#due) return
    this.#due = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#due = false
    for (const [worker, account] of this.#accounts) {
      const total = this.#total - account.total
      const addresses = this.#news(account)
      if (total === account.toldTotal && addresses.length === 0) continue
      account.toldTotal = total
      this.#tell(worker, { total, addresses })
    }
    this.#changed.clear()
  }

  #news(account: Account): AddressCounts {
    const news: [string, number][] = []
    for (const address of this.#changed) {
      const others = (this.#sums.get(address) ?? 0) - (account.addresses.get(address) ?? 0)
      if (others === (account.told.get(address) ?? 0)) continue
      if (others === 0) account.told.delete(address)
      else account.told.set(address, others)
      news.push([address, others])
    }
    return news
  }
}
