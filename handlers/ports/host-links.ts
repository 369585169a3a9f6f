import type { HostPorts } from './host/host.ts'
import type { LinkPanel } from './store/hosts/trust-store.ts'
import type { HostFacts, HostRow } from './store/host-store.ts'

/** Where a machine is, and what it must show. */
export type ReachedHost = Pick<HostRow, 'link_id' | 'address'> & { certificate: string }

/** Whom a host says that it obeys. */
export interface ToldTrust {
  version: number
  panels: Pick<LinkPanel, 'id' | 'key'>[]
  /** Whom root there forgot for good. */
  forgotten: string[]
}

/** How a panel comes to know other machines; its keys are behind it and leave nowhere. */
export interface HostLinks {
  /** A token by which the machine obeys this panel, and the public key that its answer is proved by. */
  invite(host: Pick<HostRow, 'link_id' | 'role'>): Promise<{ token: string; joinKey: string }>
  /**
   * Dials a machine that was given the token: its certificate, proved by `joinKey` and by a call that was
   * answered over it. Throws 503 where it cannot be reached or proves nothing.
   */
  meet(host: Pick<HostRow, 'link_id' | 'address'> & { joinKey: string }): Promise<{
    certificate: string
  }>
  /** The ports of a machine that has joined, over its link. Connections are kept from call to call. */
  reach(host: ReachedHost): Promise<HostPorts>
  /** This panel as hosts know it; null: it has no keys yet, for no machine was ever invited. */
  own(): Promise<LinkPanel | null>
  /**
   * Gives a host the list of those whom it obeys from now on, signed by this panel. Answers the list that
   * it has then, which is another one where it refused ours as not newer. Throws 503.
   */
  tell(
    host: ReachedHost & Pick<HostRow, 'role'>,
    list: { version: number; panels: readonly LinkPanel[] },
  ): Promise<ToldTrust>
  /** Its answer over the connection that nothing else uses; throws 503. */
  probe(host: ReachedHost): Promise<HostFacts>
}
