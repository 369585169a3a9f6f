import type { Timestamp } from '../records.ts'

/** A panel as hosts on other machines know it, by its link. */
export interface LinkPanel {
  id: string
  /** The one that it shows (PEM). */
  certificate: string
  /** Ed25519 public key by which it signs: base64url of its 32 bytes. */
  key: string
}

/** One of the panels that hosts obey. */
export type LinkPanelRow = LinkPanel & {
  /** Version of the list that named it first. */
  since_version: number
  created_at: Timestamp
}

/** Which panels hosts obey: one list for all of them, whose versions ascend. */
export interface TrustList {
  /** 0: nobody was ever in it. */
  version: number
  panels: LinkPanelRow[]
}

/** Part of the store: whom hosts on other machines obey. */
export interface TrustStore {
  /** The list of this moment, the oldest panel first. */
  trustList(): Promise<TrustList>
  /**
   * Names one panel more, in a list of the next version. `known`: the very same is in it; `refused`:
   * another has its id, or the list is full, or, where it is to be the first, it is not empty, or, where it is to
   * follow `after`, none of these is in it.
   */
  addLinkPanel(
    panel: LinkPanel & { created_at: Timestamp },
    options?: { first?: boolean; after?: readonly string[] },
  ): Promise<'added' | 'known' | 'refused'>
  /** Takes panels out, in a list of the next version. False: none of them is in it, or no other would be left. */
  removeLinkPanels(ids: readonly string[]): Promise<boolean>
  /** Makes the version higher than one that a host has seen. */
  raiseTrustVersion(above: number): Promise<void>
  /** A host has the list of that version. */
  hostTrusts(hostId: number, version: number): Promise<void>
}
