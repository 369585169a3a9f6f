import type { Socket } from 'node:net'
import { isTrustedAddress } from '#handlers/domain/text/client-address.ts'
import { addressKey } from '#handlers/domain/text/client-address.ts'
import type { ConnectionReport, ConnectionView, RefusedConnections } from './connection-messages.ts'
import { IdleRoom } from './idle-room.ts'

export interface ConnectionGateOptions {
  /** Open connections of all workers together; 0 is unlimited. */
  max: number
  /** Of one IPv4 address or IPv6 /64, over all workers; 0 is unlimited. */
  maxPerAddress: number
  /** CIDR blocks that `maxPerAddress` does not concern. */
  trustedProxies: readonly string[]
  /** How many workers share the limits. */
  workers: number
  /** Hands a report to the primary. */
  report(report: ConnectionReport): void
}

/** Reports of changes too small to be told at once. */
const REPORT_MS = 250
/** A worker tells at once when its part of a limit changed by the limit / (this * workers). */
const STEPS = 8
/** So much of the server's limit is kept free for new connections as long as others idle. */
const SPARE_SHARE = 16
/** Addresses whose refusals are told one by one; those of others only count. */
const MAX_REFUSED_ADDRESSES = 1000

/**
 * Lets connections in as long as the server and their address have room.
 * Each worker counts its own and hears sums of the others', so a limit is
 * exact to an eighth (an address with fewer than limit / (8 * workers)
 * connections at a worker is not told of there) and to what is accepted during
 * one message between processes. An admission costs two Map lookups.
 */
export class ConnectionGate {
  readonly room = new IdleRoom()
  readonly #options: ConnectionGateOptions
  readonly #own = new Map<string, number>()
  readonly #others = new Map<string, number>()
  readonly #told = new Map<string, number>()
  readonly #changed = new Set<string>()
  readonly #refusedAddresses = new Map<string | null, number>()
  readonly #refused: RefusedConnections = { server: 0, address: 0 }
  readonly #step: number
  readonly #totalStep: number
  readonly #timer: NodeJS.Timeout
  #total = 0
  #othersTotal = 0
  #toldTotal = -1
  #due = false

  constructor(options: ConnectionGateOptions) {
    this.#options = options
    const step = (limit: number): number => Math.max(1, Math.floor(limit / STEPS / options.workers))
    this.#step = step(options.maxPerAddress)
    this.#totalStep = options.max === 0 ? Infinity : step(options.max)
    this.#timer = setInterval(() => this.#tick(), REPORT_MS)
    this.#timer.unref()
    this.#report()
  }

  /**
   * Asked for every accepted connection, before anything is read of it (and
   * before a TLS handshake). False: it was refused and is closed already.
   */
  admit(socket: Socket): boolean {
    const address = addressKey(socket.remoteAddress)
    if (address === '') {
      socket.destroy()
      return false
    }
    const { max, maxPerAddress, trustedProxies } = this.#options
    const own = this.#own.get(address) ?? 0
    if (
      maxPerAddress > 0 &&
      own + (this.#others.get(address) ?? 0) >= maxPerAddress &&
      !isTrustedAddress(socket.remoteAddress ?? '', trustedProxies)
    ) {
      this.#refused.address++
      return this.#refuse(socket, address)
    }
    if (max > 0 && this.#total + this.#othersTotal >= max && this.room.close(1) === 0) {
      this.#refused.server++
      return this.#refuse(socket, null)
    }
    this.#count(address, 1)
    socket.once('close', () => this.#count(address, -1))
    return true
  }

  /** Takes what the primary says of the other workers. */
  hear(view: ConnectionView): void {
    this.#othersTotal = view.total
    for (const [address, count] of view.addresses) {
      if (count === 0) this.#others.delete(address)
      else this.#others.set(address, count)
    }
  }

  refused(): RefusedConnections {
    return { ...this.#refused }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #refuse(socket: Socket, address: string | null): false {
    const known = this.#refusedAddresses.get(address)
    if (known !== undefined || this.#refusedAddresses.size < MAX_REFUSED_ADDRESSES)
      this.#refusedAddresses.set(address, (known ?? 0) + 1)
    // Without a last handshake of TCP: a flood must not leave waiting sockets behind in the kernel.
    socket.resetAndDestroy()
    return false
  }

  #count(address: string, by: 1 | -1): void {
    const count = (this.#own.get(address) ?? 0) + by
    if (count === 0) this.#own.delete(address)
    else this.#own.set(address, count)
    this.#total += by
    if (Math.abs(this.#total - this.#toldTotal) >= this.#totalStep) this.#reportSoon()
    if (count < this.#step && this.#told.size === 0) return
    const told = this.#told.get(address) ?? 0
    const worth = this.#worth(count)
    if (worth === told || (worth !== 0 && Math.abs(worth - told) < this.#step)) return
    this.#changed.add(address)
    this.#reportSoon()
  }

  /** What is told of so many connections. */
  #worth(count: number): number {
    return this.#options.maxPerAddress === 0 || count < this.#step ? 0 : count
  }

  #reportSoon(): void {
    if (this.#due) return
    this.#due = true
    setImmediate(() => this.#report())
  }

  #report(): void {
    this.#due = false
    const addresses: [string, number][] = []
    for (const address of this.#changed) {
      const worth = this.#worth(this.#own.get(address) ?? 0)
      if (worth === (this.#told.get(address) ?? 0)) continue
      if (worth === 0) this.#told.delete(address)
      else this.#told.set(address, worth)
      addresses.push([address, worth])
    }
    this.#changed.clear()
    this.#toldTotal = this.#total
    const refused = [...this.#refusedAddresses]
    this.#refusedAddresses.clear()
    this.#options.report({ total: this.#total, addresses, refused })
  }

  #tick(): void {
    const { max } = this.#options
    if (max > 0 && this.#total > 0) {
      const all = this.#total + this.#othersTotal
      const excess = all - (max - Math.floor(max / SPARE_SHARE))
      // Each worker its part: the next connection may come to one that has nothing to close.
      if (excess > 0) this.room.close(Math.ceil((excess * this.#total) / all))
    }
    const news = max > 0 && this.#total !== this.#toldTotal
    if (news || this.#refusedAddresses.size > 0) this.#report()
  }
}
