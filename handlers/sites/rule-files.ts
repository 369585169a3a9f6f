import type { FilePlace } from './site-files.ts'

/**
 * A small text of a site, e.g. `.htaccess`. `same`: it is what `known` named.
 * `stamp` changes when the file does. `denied`: see `FileKind`.
 */
export type RuleText =
  | { kind: 'same' }
  | { kind: 'text'; text: string; stamp: string }
  | { kind: 'missing' | 'denied' | 'too-large' }

/** Reads rules and password files of sites, judged as every other file of theirs; see `SiteFiles`. */
export interface RuleFiles {
  read(place: FilePlace, known: string | null, maxBytes: number): Promise<RuleText>
  /** Whether a password is the one that a line of a password file stands for; false for unknown forms. `site` shares the cost fairly. */
  verifyPassword(site: string, password: string, hash: string): Promise<boolean>
}
