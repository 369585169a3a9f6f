/** What is known of a machine at the web channel, also while it does not answer. */
export interface ChannelMachineRow {
  host_id: number
  /** The one that it shows there (PEM). */
  certificate: string
  /** `address:port` where a host lets fronts in; null: nowhere, or it is a front. */
  address: string | null
}

/** Part of the store: the web channel. */
export interface ChannelStore {
  /** Of all roles, by `host_id`. */
  listChannelMachines(): Promise<ChannelMachineRow[]>
  /** Records it, or what it is now. */
  putChannelMachine(row: ChannelMachineRow): Promise<void>
  /** Forgets it; none is no error. */
  deleteChannelMachine(hostId: number): Promise<void>
}
