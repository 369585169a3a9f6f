import type { ChallengeType } from '../store/column-types.ts'

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

/**
 * Certificates of virtual hosts: ACME over HTTP-01 and DNS-01 (RFC 8555, 8.3 and 8.4), and
 * pairs that are brought along. What is stored is served only once a virtual host
 * names it.
 */
export interface CertificatesPort {
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
    input: CertificateOrder & { operationId: string; by_dns: string[] },
  ): Promise<InstalledCertificate & { left_out: SkippedName[] }>
  /**
   * Stores a certificate with its key as version `operationId`, after checking
   * that they fit, that `domain` is covered and that it has not expired: 400.
   */
  install(
    input: CertificateSubject & { operationId: string; certificate: string; key: string },
  ): Promise<InstalledCertificate>
  /** Removes all stored versions of the domain but `keep`; null: all. */
  prune(input: CertificateSubject & { keep: string | null }): Promise<void>
  /** Name of the panel that a certificate may be had for; null: none is configured. */
  panelName(): Promise<string | null>
}
