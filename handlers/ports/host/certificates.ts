import type { ChallengeType } from '../store/column-types.ts'
import type { CertificatePair, PairName } from './web/front-sites.ts'

/** Facts of a certificate that lies in the certificate directory. */
export interface InstalledCertificate {
  /** Names the pair within its domain's directory; the id of the operation that brought it. */
  version: string
  /** Names that it holds for. */
  san: string[]
  subject: string
  issuer: string
  /** Hexadecimal, upper case. */
  serial: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  issued_at: string
  expires_at: string
  files: CertificateFiles
}

/** Absolute paths. `certificate` holds the whole chain, as servers want it; `chain` all but the first. */
export interface CertificateFiles {
  certificate: string
  key: string
  chain: string
}

/** A name that is not, or was not, certified, and why. */
export interface SkippedName {
  name: string
  reason: string
}

/** When an authority wants a certificate renewed (RFC 9773, 4.2); UTC, `YYYY-MM-DD HH:MM:SS`. */
export interface RenewalWindow {
  from: string
  until: string
  /** A page that says why, where the authority names one. */
  explanation_url: string | null
}

/** A window, and the time in it at which the certificate is renewed. */
export interface PlannedRenewal extends RenewalWindow {
  at: string
}

/** Which certificate is meant; the host checks every name against its own records. */
export interface CertificateSubject {
  /** Owner of the virtual host; null for the panel's own name. */
  username: string | null
  /** Primary name of the virtual host, under which the files are kept. */
  domain: string
}

/** What is ordered of the certificate authority. */
export interface CertificateOrder extends CertificateSubject {
  /** Names to be certified, `domain` first. */
  names: string[]
  /** Absolute directory in the account's home that gets the challenge files too; null: none. */
  webroot: string | null
}

/** An order that waits until its owner has set records. */
export interface WaitingOrder extends CertificateSubject {
  /** Names that it is for. */
  names: string[]
  /** Names that it is not for, since the zone keeps them from the authority. */
  left_out: SkippedName[]
  /** Text records that have to stand in the DNS all at once; `shown`: by all servers of the zone, null: not asked. */
  records: { name: string; value: string; shown: boolean | null }[]
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  created_at: string
  /** Until then the authority keeps it. */
  expires_at: string
  /** Why nothing comes of it any more; null: it waits. */
  failed: string | null
}

/** Orders whose names are proved by records that somebody sets by hand; each is kept through restarts. */
export interface WaitingOrdersPort {
  /**
   * Makes an order and says what has to stand in the DNS; CNAME records are followed. One that
   * waits for the same names is answered as it is. 400 when the authority refuses it, 503 when it
   * cannot be reached.
   */
  beginOrder(input: CertificateSubject & { names: string[] }): Promise<WaitingOrder>
  /** All, by domain; what ended long ago is forgotten. */
  waitingOrders(): Promise<WaitingOrder[]>
  /** Asks the servers of the zone for the records. 404 where none waits. */
  lookAtOrder(input: CertificateSubject): Promise<WaitingOrder>
  /**
   * Lets it be proved and stores the certificate as version `operationId`; the order is kept until it is
   * dropped. 409 while records are missing or when nothing comes of it any more, 400 when the authority
   * does not find them. A repetition answers the same.
   */
  finishOrder(
    input: CertificateSubject & { operationId: string },
  ): Promise<InstalledCertificate & { left_out: SkippedName[] }>
  /** Forgets it, also where there is none. */
  dropOrder(input: CertificateSubject): Promise<void>
}

/**
 * Certificates of virtual hosts: ACME over HTTP-01 and DNS-01 (RFC 8555, 8.3 and 8.4), and
 * pairs that are brought along. What is stored is served only once a virtual host
 * names it.
 */
export interface CertificatesPort extends WaitingOrdersPort {
  /**
   * What an order could be for, and which names are proved by DNS: all that an access of the
   * owner covers with `challenge` `dns-01`, the wildcards among these with null. At others a
   * random token is asked for as the certificate authority would, unless with `force`.
   * 400 when `acme_email` is not set, when `webroot` is not the account's, or when
   * `domain` itself cannot be proved.
   */
  prepare(
    input: CertificateOrder & { force: boolean; challenge: ChallengeType | null },
  ): Promise<{ names: string[]; by_dns: string[]; left_out: SkippedName[] }>
  /**
   * Obtains a certificate and stores it as version `operationId`. Names beside
   * `domain` that cannot be proved, or that the zone keeps from the authority, are skipped. 400 when it refuses
   * `domain`, 503 when it cannot be reached. A repetition answers the same.
   */
  issue(
    input: CertificateOrder & {
      operationId: string
      by_dns: string[]
      /** Version that the new one takes the place of; authorities are told (RFC 9773, 5). Null: none. */
      replaces: string | null
    },
  ): Promise<InstalledCertificate & { left_out: SkippedName[] }>
  /**
   * When the authority wants a stored version renewed (RFC 9773); null where it says nothing, or
   * the version is not there. 503 when it cannot be reached.
   */
  renewalWindow(input: CertificateSubject & { version: string }): Promise<RenewalWindow | null>
  /**
   * Stores a certificate with its key as version `operationId`, after checking
   * that they fit, that `domain` is covered and that it has not expired: 400.
   */
  install(
    input: CertificateSubject & { operationId: string; certificate: string; key: string },
  ): Promise<InstalledCertificate>
  /** Removes all stored versions of the domain but `keep`; null: all. */
  prune(input: CertificateSubject & { keep: string | null }): Promise<void>
  /** A stored pair of a site, for fronts that show it (PEM); null: that version is not there. */
  pair(input: { username: string } & PairName): Promise<(PairName & CertificatePair) | null>
  /** Name of the panel that a certificate may be had for; null: none is configured. */
  panelName(): Promise<string | null>
}
