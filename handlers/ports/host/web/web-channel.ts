/** What a machine is at the web channel: a host answers fronts. */
export type ChannelRole = 'host' | 'front'

/** A machine at the other end of the web channel, and the one certificate that it may show (PEM). */
export interface ChannelPeer {
  id: string
  certificate: string
}

/** How a machine stands at the web channel. */
export interface ChannelState {
  /** What it is called there; null: it has no key yet. */
  id: string | null
  /** PEM; null: it has none yet, or not for this role. */
  certificate: string | null
  /** Whom it lets in, or asks; by id. */
  peers: ChannelPeer[]
  /** Where it lets fronts in, as its configuration says; none: nowhere. */
  listen: string[]
}

/** The channel by which fronts ask hosts for what they do not have. */
export interface WebChannelPort {
  /** How it stands. */
  state(input: { role: ChannelRole }): Promise<ChannelState>
  /**
   * Gives the machine its name there, with a key that never leaves it, unless it has both already; and lets
   * in, or asks, these machines and no others. 400 for a certificate that is not one of the channel's.
   */
  arrange(input: { id: string; role: ChannelRole; peers: ChannelPeer[] }): Promise<ChannelState>
}
