import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'

/** What an authority means on one connection. */
export interface JudgedAuthority {
  /** Lower case, without port; empty when it is no host. */
  host: string
  /** The connection was made to another site: answer 421 (RFC 9110 7.4). */
  misdirected: boolean
}

const sharesCertificate = (one: VirtualHostConfig | null, other: VirtualHostConfig): boolean =>
  one?.ssl_certificate !== null && one?.ssl_certificate === other.ssl_certificate

/**
 * Judges authorities against the name a connection was made for. A browser
 * reuses a connection for every name that its certificate holds, so names of
 * the same virtual host or certificate pass; others are sent to a connection of
 * their own. Without a server name (`null`) the client has chosen by address
 * and every site answers. The last verdict is remembered: a connection repeats itself.
 */
export class AuthorityJudge {
  readonly #serverName: string | null
  readonly #hosts: () => VirtualHostTable
  #table: VirtualHostTable | null = null
  #authority = ''
  #verdict: JudgedAuthority = { host: '', misdirected: false }

  constructor(serverName: string | null, hosts: () => VirtualHostTable) {
    this.#serverName = serverName === null ? null : serverName.toLowerCase()
    this.#hosts = hosts
  }

  judge(authority: string): JudgedAuthority {
    const table = this.#hosts()
    if (authority === this.#authority && table === this.#table) return this.#verdict
    const host = parseHost(authority)?.name ?? ''
    this.#table = table
    this.#authority = authority
    return (this.#verdict = { host, misdirected: this.#isMisdirected(host, table) })
  }

  #isMisdirected(host: string, table: VirtualHostTable): boolean {
    if (this.#serverName === null || host === this.#serverName || host === '') return false
    const asked = table.find(host)
    const shown = table.find(this.#serverName)
    if (asked === shown) return false
    return asked === null || !sharesCertificate(shown, asked)
  }
}
