import type { Timestamp } from './records.ts'

/** How a host stands: invited, of use, taking no new accounts, not answering, or given up. */
export type HostState = 'joining' | 'open' | 'closed' | 'away' | 'gone'

/** Another machine that this panel manages. This one is in no row. */
export interface HostRow {
  id: number
  /** What people call it; unique. */
  name: string
  role: 'host' | 'front'
  /** `address:port` of its link. */
  address: string
  /** What it is called in calls and certificates; never given again. */
  link_id: string
  /** The one that it must show (PEM); null until it has joined. */
  certificate: string | null
  /** What proves that a machine was given the token: a public key; null once it has joined. */
  join_key: string | null
  /** Until when it may join, in seconds since 1970; null once it has joined. */
  join_until_secs: number | null
  state: HostState
  /** Its part of new accounts beside others. */
  weight: number
  created_at: Timestamp
}

/** Part of the store: other machines. */
export interface HostStore {
  /** By name. */
  listHosts(): Promise<HostRow[]>
  /** Null where there is none. */
  hostByName(name: string): Promise<HostRow | null>
  /** Name and `link_id` are unique. */
  insertHost(row: Omit<HostRow, 'id'>): Promise<HostRow | 'duplicate'>
  /** Once for each invitation: null where it is not `joining` by this key any more. */
  openHost(id: number, joinKey: string, certificate: string): Promise<HostRow | null>
  /** Whether it was there. */
  deleteHost(id: number): Promise<boolean>
}
