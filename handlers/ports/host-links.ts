import type { HostPorts } from './host/host.ts'
import type { ChannelRole } from './host/web/web-channel.ts'
import type { LinkPanel } from './store/hosts/trust-store.ts'
import type { HostFacts, HostRow } from './store/host-store.ts'

/** Where a machine is, what it must show, and whom it knows. */
export type ReachedHost = Pick<
  HostRow,
  'link_id' | 'address' | 'next_certificate' | 'trust_version'
> & { certificate: string }

/** Keys of this panel; `since`: version of the list that named them first, null: none did yet. */
export type LinkKeys = LinkPanel & { since: number | null }

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
  /**
   * Keys of this panel, the newest first: those that it uses, those that are to follow, and former ones that a
   * host may still know it by. None: no machine was ever invited.
   */
  keys(): Promise<LinkKeys[]>
  /** Makes keys that are to follow, or answers those that were made and are in no list yet. */
  prepareKeys(): Promise<LinkPanel>
  /** A list of that version named keys: whoever has it is called by them. */
  keysNamed(id: string, version: number): Promise<void>
  /** Forgets former keys for good. */
  dropKeys(ids: readonly string[]): Promise<void>
  /**
   * Gives a host the list of those whom it obeys from now on, signed by this panel. Answers the list that
   * it has then, which is another one where it refused ours as not newer. Throws 503.
   */
  tell(
    host: ReachedHost & Pick<HostRow, 'role'>,
    list: { version: number; panels: readonly LinkPanel[] },
  ): Promise<ToldTrust>
  /** Its answer over the connection that nothing else uses; throws 503. */
  probe(host: ReachedHost & Pick<HostRow, 'role'>): Promise<HostFacts>
  /** A certificate that a host is to show next, whose key it made. Throws 503. */
  prepareCertificate(host: ReachedHost): Promise<string>
  /**
   * Has a host show it, once its `next_certificate` is on record; resolves when it was seen there. Throws 503;
   * 409 where the host does not have it, and shows the one before.
   */
  useCertificate(host: ReachedHost & { next_certificate: string }): Promise<void>
  /** Until when a certificate of a link counts, in milliseconds since 1970; null for what is none. */
  validUntilMs(certificate: string): number | null
  /** Whose certificate of the web channel it is, for that role; null for what is none. */
  channelId(certificate: string, role: ChannelRole): string | null
}
