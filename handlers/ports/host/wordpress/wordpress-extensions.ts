import type { WordpressUpdate } from './wordpress-update.ts'
import type { WordpressPlace } from './wordpress-login.ts'

/** What a WordPress can have more of, each in a folder (or a file) of its own. */
export type ExtensionKind = 'plugin' | 'theme'

/** Where an update comes from: what the administrator has placed on the host, or what the site's own WordPress was offered. */
export type ExtensionOrigin = 'placed' | 'offered'

/** A plugin or theme by its folder, or by its file where it has none. */
export interface ExtensionName {
  kind: ExtensionKind
  slug: string
}

/** A version that a WordPress was offered by whom it asks. */
export interface OfferedExtension extends ExtensionName {
  version: string
}

/** An archive that the administrator has placed. */
export interface PlacedPackage {
  /** Absolute. */
  file: string
  /** What is in it; null where it is refused. */
  holds: (OfferedExtension & { name: string }) | null
  /** Why it is refused; null: it is fine. */
  problem: string | null
}

/**
 * Exchanges plugins and themes of a WordPress, as the account. What was there is kept until it
 * is let go, and brought back, by `WordpressUpdatePort` with the folder that they stand in.
 */
export interface WordpressExtensionsPort {
  /** Archives at the configured places, by their names. */
  packages(): Promise<PlacedPackage[]>
  /**
   * What the site's own WordPress was offered and does not have yet. `ask`: it asks anew first,
   * and `asked` says whether somebody answered it. 409 where the site does not answer.
   */
  offers(
    input: WordpressPlace & { ask: boolean },
  ): Promise<{ offers: OfferedExtension[]; asked: boolean }>
  /**
   * Puts another version in place, checks the front page, and has WordPress tell its plugins. Undone
   * where it fails: 400 where that version is not there, 409 for an archive that is refused, holds
   * nothing newer, or makes the site fail, 413 where the account has no room.
   */
  exchange(
    input: WordpressUpdate & ExtensionName & { version: string; origin: ExtensionOrigin },
  ): Promise<{ from: string | null; to: string }>
}
