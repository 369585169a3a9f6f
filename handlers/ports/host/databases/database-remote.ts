import type { DatabaseEngine, Timestamp } from '../../store/records.ts'

/** The certificate that database servers show to other machines. */
export interface RemoteCertificate {
  /** Names that it is for. */
  names: string[]
  /** SHA-256, `AB:CD:…`. */
  fingerprint: string
  until: Timestamp
  /** Whether it is Berth's own: clients trust it by its fingerprint or this file alone. */
  own: boolean
  /** The chain, leaf first; no key. */
  pem: string
}

/** How an engine is reached from other machines. */
export interface RemoteEngine {
  engine: DatabaseEngine
  /** Null: it serves this machine alone. */
  port: number | null
  /** Why it is not reached although the configuration asks for it; null: it is as it was asked for. */
  problem: string | null
}

/** How databases are reached from other machines, over TLS alone. */
export interface RemoteState {
  /** Installed engines. */
  engines: RemoteEngine[]
  /** Name that clients connect to; null: none is known, so they take the panel's. */
  host: string | null
  /** Null where nothing is to be reached from elsewhere. */
  certificate: RemoteCertificate | null
}

/**
 * Reaching databases from other machines. Off unless the configuration says otherwise; what is
 * allowed here counts from the moment on that it is on.
 */
export interface DatabaseRemotePort {
  /** Of every engine, as its server says itself; starts none. Never fails because one does not answer. */
  state(): Promise<RemoteState>
  /**
   * Makes the addresses from which all users of an account's databases may come exactly these,
   * with the rights that they have, over TLS alone; in MariaDB none of them makes views, routines, triggers or
   * events from elsewhere. Connections from anywhere else end. 400 for an address that is not spelt
   * as `remoteAddress` does, 404 for an account that is not there. On failure the former ones hold.
   */
  setAddresses(input: { operationId: string; username: string; addresses: string[] }): Promise<void>
}
