/** Open connections by what they are counted by, as absolute numbers; 0: none worth telling. */
export type AddressCounts = readonly (readonly [address: string, count: number])[]

/** From a worker: what changed since its last report. */
export interface ConnectionReport {
  /** Its open connections. */
  total: number
  addresses: AddressCounts
  /** Refused since the last report, by address; `null`: because the whole server was full. */
  refused: readonly (readonly [address: string | null, count: number])[]
}

/** To a worker: what changed in the sums over all other workers. */
export interface ConnectionView {
  total: number
  addresses: AddressCounts
}

/** Connections refused so far. */
export interface RefusedConnections {
  /** The whole server was full. */
  server: number
  /** Their address had its share. */
  address: number
}
