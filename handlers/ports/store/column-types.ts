/** `creating` and `deleting` are seen only while a journalled operation is open. */
export type AccountStatus = 'creating' | 'active' | 'suspended' | 'deleting'
/**
 * `primary` came with the account, `addon` later; `subdomain` lies below another of the
 * account, `alias` shows another's site.
 */
export type DomainType = 'primary' | 'addon' | 'subdomain' | 'alias'
/** Who a user of the panel is: one who manages the host, one who has accounts of his own on it, or the owner of one account. */
export type Role = 'admin' | 'reseller' | 'account'
/** Whose password, second factor, passkeys, sessions and tokens something is: also a person's who works in accounts. */
export type UserKind = Role | 'person'
/** What a person may do in an account; the account's own login is an `owner`. */
export type MemberRole = 'owner' | 'developer' | 'reader'
/** `mysql` is what a form may ask for; whichever of it and MariaDB is installed serves both. */
export type DatabaseEngine = 'mariadb' | 'mysql' | 'postgresql'
/**
 * How PHP is run: by a process for each request (RFC 3875), by PHP's own FastCGI manager,
 * or by LiteSpeed's protocol.
 */
export type PhpMode = 'cgi' | 'fpm' | 'lsapi'

/** Timestamps are UTC, shaped `YYYY-MM-DD HH:MM:SS`. */
export type Timestamp = string

/** How names are proved to a certificate authority (RFC 8555, 8). */
export type ChallengeType = 'http-01' | 'dns-01'
/** How the names of a certificate were proved, as far as it was asked for: `by-hand` by records that its owner sets. */
export type ProofType = ChallengeType | 'by-hand'
